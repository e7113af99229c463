# SPDX-License-Identifier: Apache-2.0
# Fits start, fill and roomy_lines of lib/observe/timing.hpp to the published points, and prints the error.
# Prints them, the error of each point, and its error when it is left out of the fit.
import itertools
import math

POINTS = [(128, 72, 1884), (128, 288, 3005), (128, 896, 5119), (128, 3072, 15844),
          (256, 144, 2131), (256, 576, 3299), (256, 1536, 8529), (256, 5632, 35022),
          (512, 288, 2487), (512, 896, 6063), (512, 2816, 20971), (512, 11264, 80967)]
LAUNCH, MISS, OUTSTANDING, BYTES_PER_CYCLE, LINE, WARPS, LOADS_A_WARP = 1100, 550, 64, 25, 128, 32, 4


def cycles(constants, columns, lines):
    """The estimate for rows of `columns` f32, all distinct: what simt() in lib/observe/cost.cpp computes."""
    start, fill, roomy_lines = constants
    lines_a_row = columns * 4 // LINE
    rows = lines // lines_a_row
    passes = -(-rows // WARPS)
    queued = lines - min(lines_a_row, LOADS_A_WARP) * rows
    evicting = max(0, 1 - roomy_lines / lines)
    a_line = fill * (1 - evicting) + MISS / OUTSTANDING * evicting
    return max(LAUNCH + start + passes * MISS + queued * a_line, lines * LINE / BYTES_PER_CYCLE)


def error(constants, point):
    return cycles(constants, point[0], point[1]) / point[2] - 1


def loss(constants, points):
    return sum(math.log(1 + error(constants, p)) ** 2 for p in points)


def fit(points):
    """Coordinate search on a grid that narrows: the loss has kinks."""
    best, step = (250.0, 2.5, 800.0), (128.0, 1.0, 256.0)
    while step[2] > 0.5:
        moves = itertools.product(*[(x - s, x, x + s) for x, s in zip(best, step)])
        better = min((m for m in moves if min(m) > 0), key=lambda m: loss(m, points))
        if better == best:
            step = tuple(s / 2 for s in step)
        best = better
    return best


def main():
    constants = fit(POINTS)
    print("start %.0f, fill %.2f, roomy_lines %.0f" % constants)
    errors, left_out = [], []
    for i, point in enumerate(POINTS):
        errors.append(error(constants, point))
        left_out.append(error(fit(POINTS[:i] + POINTS[i + 1:]), point))
        print("D = %3d %6d loads %6d cycles  %+6.1f %%  left out %+6.1f %%" % (*point, 100 * errors[-1], 100 * left_out[-1]))
    for name, e in (("fit", errors), ("left out", left_out)):
        print("%-8s mean %.1f %%, worst %.1f %%" % (name, 100 * sum(map(abs, e)) / len(e), 100 * max(map(abs, e))))


main()
