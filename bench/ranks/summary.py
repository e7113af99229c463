# SPDX-License-Identifier: Apache-2.0
"""Summarises what bench/ranks/run measured and compares it with the required ratios. usage: summary.py RANKS LOG [JSON]"""
import json
import sys


def main(ranks, log, out=None):
    points = {}
    for line in open(log):
        engine, size, way, *numbers = line.split()
        point = points.setdefault(engine, {}).setdefault(size, {})
        point[way] = {numbers[i + 1]: float(numbers[i]) for i in range(0, len(numbers), 2)}
    goals = []
    for engine, of in points.items():
        if engine.endswith("_put"):
            continue
        large, small = of.get("large", {}), of.get("small", {})
        if "tscatter" in large:
            speed = large["tscatter"]["GB/s"]
            goals.append((f"{engine}: 64 MiB blocks, of memcpy", speed / large["memcpy"]["GB/s"], ">=", 0.7))
            if "MPI_Put" in large:  # may be missed where MPI_Put is near memcpy: memory is too slow
                goals.append((f"{engine}: 64 MiB blocks, of one MPI_Put a block", speed / large["MPI_Put"]["GB/s"], ">=", 2))
            by_put = points.get(engine + "_put", {}).get("large", {}).get("tscatter")
            if by_put:
                goals.append((f"{engine}: 64 MiB blocks, of the same by MPI_Put", speed / by_put["GB/s"], ">=", 2))
        if "tscatter" in small:
            goals.append((f"{engine}: 4 KiB blocks, us a rank beyond memcpy", small["tscatter"]["us_beyond_memcpy"], "<=", 3))
    for name, value, sign, goal in goals:
        kept = value >= goal if sign == ">=" else value <= goal
        print(f"{'ok  ' if kept else 'MISS'} {name}: {value:.2f} ({sign} {goal})")
    if out:
        json.dump({"ranks": int(ranks), "tile_bytes": 32768, "engines": points,
                   "goals": [{"name": n, "value": v, "goal": f"{s} {g}"} for n, v, s, g in goals]},
                  open(out, "w"), indent=1)


main(*sys.argv[1:])
