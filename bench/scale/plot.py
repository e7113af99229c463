# SPDX-License-Identifier: Apache-2.0
"""Draws the time of a scatter by ranks and block size. usage: plot.py POINTS JSON SVG, points as scatter.cpp prints them."""
import json
import math
import sys

LINK_BYTES_A_US, HOPS_US = 12500.0, 2.0  # 12.5 GB/s; up and down the tree are four links of 0.5 us
COLORS = ["#1b6ca8", "#c0392b", "#2e8b57", "#8e6bbf", "#b8860b", "#555555"]
WIDTH, HEIGHT, LEFT, TOP, PLOT_W, PLOT_H = 860, 560, 80, 60, 560, 420


def read(path):
    points = []
    for line in open(path):
        ranks, block, flat, tree, mpi = line.split()
        ranks, block = int(ranks), int(block)
        points.append({"ranks": ranks, "block_bytes": block, "flat_us": float(flat), "tree_us": float(tree) or None,
                       "mpi_scatter_us": float(mpi), "bound_us": HOPS_US + (ranks - 1) * block / LINK_BYTES_A_US})
    return points


class Axes:
    """Both logarithmic."""

    def __init__(self, xs, ys):
        self.x0, self.x1 = math.log(min(xs)), math.log(max(xs))
        self.y0, self.y1 = math.floor(math.log10(min(ys))), math.ceil(math.log10(max(ys)))

    def at(self, x, y):
        dx = (math.log(x) - self.x0) / ((self.x1 - self.x0) or 1)
        dy = (math.log10(y) - self.y0) / ((self.y1 - self.y0) or 1)
        return LEFT + dx * PLOT_W, TOP + PLOT_H - dy * PLOT_H


def size_text(n):
    return f"{n} B" if n < 1024 else f"{n // 1024} KiB" if n < 1 << 20 else f"{n >> 20} MiB"


def polyline(axes, series, style):
    xy = [axes.at(x, y) for x, y in series]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in xy)
    return f'<polyline points="{line}" fill="none" {style}/>'


def svg(points):
    axes = Axes([p["ranks"] for p in points],
                [p[k] for p in points for k in ("flat_us", "tree_us", "bound_us") if p[k]])
    s = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="13">',
         f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
         f'<text x="{LEFT}" y="28" font-size="17">Scatter from one rank on a simulated fat tree, 12.5 GB/s links</text>',
         f'<text x="{LEFT}" y="47" fill="#555">solid: TSCATTER; dashed: TreeScatter; dotted: what the root\'s link allows at best</text>']
    for e in range(axes.y0, axes.y1 + 1):
        y = axes.at(math.exp(axes.x0), 10.0 ** e)[1]
        s.append(f'<line x1="{LEFT}" x2="{LEFT + PLOT_W}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        s.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{10 ** e if e >= 0 else 10.0 ** e} µs</text>')
    for n in sorted({p["ranks"] for p in points}):
        x = axes.at(n, 10.0 ** axes.y0)[0]
        s.append(f'<text x="{x:.1f}" y="{TOP + PLOT_H + 20}" text-anchor="middle">{n}</text>')
    s.append(f'<text x="{LEFT + PLOT_W / 2}" y="{TOP + PLOT_H + 42}" text-anchor="middle">ranks</text>')
    for i, block in enumerate(sorted({p["block_bytes"] for p in points})):
        mine = sorted((p for p in points if p["block_bytes"] == block), key=lambda p: p["ranks"])
        color = COLORS[i % len(COLORS)]
        for key, dash, width in (("flat_us", "", 2), ("tree_us", ' stroke-dasharray="7 4"', 2), ("bound_us", ' stroke-dasharray="2 4"', 1.5)):
            series = [(p["ranks"], p[key]) for p in mine if p[key]]
            s.append(polyline(axes, series, f'stroke="{color}" stroke-width="{width}"{dash}'))
            if key != "bound_us":
                s += [f'<circle cx="{axes.at(x, y)[0]:.1f}" cy="{axes.at(x, y)[1]:.1f}" r="3" fill="{color}"/>' for x, y in series]
        y = TOP + 14 + 20 * i
        s.append(f'<line x1="{LEFT + PLOT_W + 24}" x2="{LEFT + PLOT_W + 54}" y1="{y}" y2="{y}" stroke="{color}" stroke-width="3"/>')
        s.append(f'<text x="{LEFT + PLOT_W + 62}" y="{y + 4}">blocks of {size_text(block)}</text>')
    return "\n".join(s + ["</svg>", ""])


def main(points_path, json_path, svg_path):
    points = read(points_path)
    network = {"topology": "fat tree of two levels, full bisection", "link_GBps": 12.5, "link_latency_us": 0.5,
               "sender_us_a_message": 0.5}
    with open(json_path, "w") as f:
        json.dump({"network": network, "points": points}, f, indent=1)
    with open(svg_path, "w") as f:
        f.write(svg(points))
    print(f"{'ranks':>6} {'block':>8} {'flat us':>10} {'tree us':>10} {'MPI_Scatter':>12} {'bound us':>10}")
    for p in points:
        tree = f"{p['tree_us']:.1f}" if p["tree_us"] else "-"
        print(f"{p['ranks']:>6} {p['block_bytes']:>8} {p['flat_us']:>10.1f} {tree:>10} {p['mpi_scatter_us']:>12.1f} {p['bound_us']:>10.1f}")


main(*sys.argv[1:])
