// SPDX-License-Identifier: Apache-2.0
#include "bench_options.hpp"

namespace ptox::tool {

namespace {

constexpr const char* names =
    "names:\n"
    "  w1 w1-zipf      gather rows of 512 bytes: evenly distributed indices, or a few of them often\n"
    "  w2-64 w2-16     gather rows of 64 and of 16 bytes\n"
    "  w3 w3-4k w3-64ki\n"
    "                  gather elements: from a large table, the same on 4 KiB pages, from a table that fits in L2\n"
    "  w4              scatter rows to the places of a permutation\n"
    "  w5 w6 w7        add rows, add elements, the maximum of elements\n"
    "  w8-row-f16 w8-row-bf16 w8-elem-f16 w8-elem-bf16\n"
    "                  add rows and elements of 16-bit floats\n"
    "  w9-row w9-elem  one MGATHER of 8 x 32 in a launched kernel, a million calls: milliseconds are nanoseconds a "
    "call\n"
    "  hostile         indices all the same, two, sorted, reversed, Zipf, in a window, against the plain loop\n"
    "  sentinel        a share of the indices is -1 and skipped or zeroed, against all valid\n"
    "  tile            kernels that go tile by tile, against the functions for whole tensors\n"
    "  sizes widths    cost of one against how many there are, and against the width of a row\n"
    "  rare            calls that are made rarely, with default options, against one thread\n"
    "  sharded         a table over two ranks, processes or threads, against one process on one thread\n"
    "  check           how much longer a checked run of a model takes: a lookup of a million rows\n"
    "  dense           TMOV, TEXPANDS, TLOAD and TSTORE of 64 x 64 on the models, unchecked and checked\n"
    "  unchecked       what the checker costs an unchecked run on the host";

constexpr const char* columns =
    "ratio: how many times as fast as the plain loop. spread: the middle half of the rounds, as a share of the median. "
    "limit: the slower of a sequential copy of the bytes moved and of reading the table's cache lines with prefetch. "
    "To "
    "the right of the bar: the same on all threads; gain: one thread's time over that of all.";

constexpr const char* on_gpu =
    "--gpu has cases of its own (--gpu --list) and the options --rounds, --quick, --json and --svg. It compares "
    "ptox::cuda "
    "with a straight kernel, torch and Triton, where the Python of PTOX_PEERS (or python3) has them, as shares of the "
    "bytes "
    "a second that a copy moves.";

}  // namespace

CommandLine bench_command_line(BenchOptions& o) {
  return CommandLine(
             "ptox bench", "[NAME...]",
             "Times ways of doing one thing in one run, each in turn, and prints medians. Without a NAME: w1 to w9, "
             "ptox beside a plain loop compiled here with -O3 -march=native (the faster of g++ and clang), numpy "
             "and torch where bench/peers.sh set them up, and what the memory of this machine can do at best. Every "
             "result is first compared with that of the plain loop, bit for bit.")
      .number("--rounds", o.rounds, {1, 1000}, "how often each way is timed", "9 for w1 to w9, fewer for the long ones")
      .number("--threads", o.threads, {1, 1024},
              "number of threads of measurements that use several; 1: no such measurements", "all cores")
      .flag("--quick", o.quick, "small sizes, 3 rounds: shows in seconds that all works; figures are not to be quoted")
      .file("--json", o.json, "write the machine and every round's seconds there as well")
      .file("--svg", o.svg, "draw charts there: w1 to w9 and hostile as bars, sizes and widths as curves")
      .flag("--list", o.list, "print the names and the question that each answers")
      .flag("--gpu", o.gpu, "on a GPU")
      .words(o.names)
      .note(names)
      .note(columns)
      .note(on_gpu)
      .note("Exit code 0: done; 1: a result differs from the plain loop's; 2: usage; 3: a file cannot be written.")
      .example("ptox bench --quick", "shows that everything works")
      .example("ptox bench w1 w4 --rounds 9 --json w.json", "two workloads, with every round's seconds in a file");
}

}  // namespace ptox::tool
