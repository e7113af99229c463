#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the table and the chart at the head of docs/performance.md from the measurements further down in the same page.

usage: summary.py PERFORMANCE.md SUMMARY.svg

The table between the two `summary` comments is replaced; the measurements are the outputs of `./ptox bench`."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "pictures"))
sys.dont_write_bytecode = True
from svg import MUTED, Svg  # noqa: E402

CASES = {
    "w1": "gather rows of 512 bytes",
    "w2-64": "gather rows of 64 bytes",
    "w3": "gather elements, large table",
    "w3-64ki": "gather elements, table in L2",
    "w4": "scatter rows of 512 bytes",
    "w5": "add rows of 512 bytes",
    "w6": "add elements, large table",
    "w9-row": "MGATHER of 8 x 32 in a kernel",
}
OTHERS = {"plain loop": "#59636e", "NumPy": "#2f81c1", "PyTorch": "#d9762b"}
BEGIN, END = "<!-- summary -->\n", "<!-- /summary -->"


def measurements(page):
    """For each machine, in the order of the page: case -> how many times as fast as plain loop, NumPy and PyTorch."""
    machines = []
    for line in page.splitlines():
        if line.startswith("ms                ours spread"):
            machines.append({})
        row = re.match(r"(w\S+)\s+([\d.]+)\s+[\d.]+%\s+([\d.]+) \S+\s+[\d.]+\s+([\d.]+|-)\s+([\d.]+|-) ", line)
        if row:
            ours = float(row[2])
            machines[-1][row[1]] = [float(t) / ours if t != "-" else None for t in row.groups()[2:]]
    return machines


def text(ratio):
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}"


def table(machines):
    out = [
        "| one thread | EPYC: plain loop | EPYC: NumPy | EPYC: PyTorch | Xeon: plain loop | Cascade Lake: plain loop |",
        "|---|---|---|---|---|---|",
    ]
    for case, name in CASES.items():
        cells = [*machines[0][case], machines[1][case][0], machines[2][case][0]]
        out.append(f"| {name} (`{case}`) | " + " | ".join(text(c) for c in cells) + " |")
    return "\n".join(out) + "\n"


def chart(machine, path):
    width, left, top, bar, gap, most = 860, 270, 74, 14, 18, 10
    height = top + len(CASES) * (3 * bar + gap) + 30
    title = "Time of the other way divided by the time of ptox: one thread, AMD EPYC"
    svg = Svg(width, height, title)
    svg.text(20, 30, title, 16, weight="bold")
    for k, (name, color) in enumerate(OTHERS.items()):
        svg.box(left + 150 * k, 44, 12, 12, color)
        svg.text(left + 150 * k + 18, 55, name, 12, MUTED)
    scale, bottom = (width - left - 70) / most, height - 34
    for value in range(0, most + 1, 2):
        svg.line(left + value * scale, top - 4, left + value * scale, bottom)
        svg.text(left + value * scale, bottom + 18, str(value), 12, MUTED, "middle")
    for row, (case, name) in enumerate(CASES.items()):
        y = top + row * (3 * bar + gap)
        svg.text(left - 12, y + 1.5 * bar + 4, name, 13, anchor="end")
        for k, (ratio, color) in enumerate(zip(machine[case], OTHERS.values())):
            svg.box(left, y + k * bar, min(ratio, most) * scale, bar - 2, color)
            end = min(ratio, most) * scale
            end = scale if 0.6 < ratio < 1 else end  # right of the line at 1
            svg.text(left + end + 5, y + k * bar + 10, text(ratio) + (" →" if ratio > most else ""), 11, MUTED)
    svg.line(left + scale, top - 4, left + scale, bottom, "#1f2328", 1.5)
    svg.text(left + scale, bottom + 18, "1: equal", 12, anchor="middle")
    svg.save(path)


def main(page_path, chart_path):
    page = Path(page_path).read_text(encoding="utf-8")
    machines = measurements(page)
    begin, end = page.index(BEGIN) + len(BEGIN), page.index(END)
    Path(page_path).write_text(page[:begin] + "\n" + table(machines) + "\n" + page[end:], encoding="utf-8")
    chart(machines[0], chart_path)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
