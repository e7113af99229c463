#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the trace of one block: what each pipe does, and for how long.

usage: timeline.py TRACE.json OUT.svg TITLE

TRACE.json comes from --trace of `ptox run` or `ptox check`, or from Report::write_trace."""

import json
import sys

sys.dont_write_bytecode = True

from svg import GRID, MUTED, Svg

WIDTH, LEFT, TOP, LANE, BAR = 860, 120, 78, 44, 26
COLORS = {"tload": "#2f81c1", "tstore": "#3f9b57", "wait": "#e3e6ea"}
COMPUTE = "#d9762b"
MEANING = {"MTE2": "loads", "V": "vector unit", "MTE3": "stores", "S": "scalar unit"}


def read(path):
    """The pipes in the order MTE2, V, MTE3, and (pipe, name, begin, cycles) of each step; a microsecond is 1000 cycles."""
    with open(path, encoding="utf-8") as file:
        data = json.load(file)
    events = [e for e in (data["traceEvents"] if isinstance(data, dict) else data) if e["pid"] == 1]
    names = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    steps = [(names[e["tid"]], e["name"], 1000 * e["ts"], 1000 * e["dur"]) for e in events if e["ph"] == "X"]
    return [p for p in ("MTE2", "V", "MTE3") if any(s[0] == p for s in steps)], steps


def draw(trace, out, title):
    pipes, steps = read(trace)
    end = max(begin + cycles for pipe, _, begin, cycles in steps if pipe in pipes)
    bottom = TOP + LANE * len(pipes)
    scale = (WIDTH - LEFT - 30) / end
    svg = Svg(WIDTH, bottom + 62, title)
    svg.text(20, 30, title, 16, weight="bold")
    for k, (label, color) in enumerate(
        [("TLOAD", COLORS["tload"]), ("MGATHER", COMPUTE), ("TSTORE", COLORS["tstore"]), ("waits for a flag", COLORS["wait"])]
    ):
        svg.box(LEFT + 130 * k, 46, 12, 12, color)
        svg.text(LEFT + 130 * k + 18, 57, label, 12, MUTED)
    for cycle in range(0, int(end) + 1, 2000):
        svg.line(LEFT + cycle * scale, TOP - 6, LEFT + cycle * scale, bottom)
        svg.text(LEFT + cycle * scale, bottom + 20, f"{cycle:,}", 12, MUTED, "middle")
    svg.text((LEFT + WIDTH) / 2, bottom + 44, "cycles (estimate)", 12, MUTED, "middle")
    for row, pipe in enumerate(pipes):
        y = TOP + LANE * row + (LANE - BAR) / 2
        svg.text(LEFT - 12, y + 12, pipe, 13, anchor="end", weight="bold")
        svg.text(LEFT - 12, y + 25, MEANING[pipe], 11, MUTED, "end")
        svg.line(LEFT, y + BAR, WIDTH - 30, y + BAR, GRID)
        for where, name, begin, cycles in steps:
            word = name.split()[0]
            if where == pipe and word != "set":
                svg.box(LEFT + begin * scale, y, cycles * scale - 0.8, BAR, COLORS.get(word, COMPUTE), f"{name}: {cycles:.0f} cycles")
    svg.save(out)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    draw(*sys.argv[1:])
