// SPDX-License-Identifier: Apache-2.0
// The command line of `ptox run`.
#include "pto_options.hpp"

namespace ptox::tool {

namespace {

constexpr std::uint64_t most_ub_bytes = std::uint64_t{1} << 40, most_deadline_ms = 86'400'000;

CommandLine command_line(RunOptions& o) {
  CommandLine line(
      "ptox run", "FILE",
      "Compiles a kernel of FILE, runs it on a target and prints what it wrote. Arguments have their names "
      "in FILE: arrays come from --in, else they are as large as the views made of them and filled from the "
      "seed; scalars come from --arg. bf16 is uint16 bits in .npy files, fp8 and hif8 are uint8.");
  line.text("--kernel", "NAME", o.kernel, "which kernel of FILE", "its entry")
      .texts("--in", "NAME=FILE.npy", o.in,
             "an array; with --ranks NAME@2=FILE.npy is rank 2's, NAME=FILE.npy every rank's")
      .texts("--out", "NAME=FILE.npy", o.out,
             "write an array; with --ranks NAME@2=FILE.npy is rank 2's, and NAME=FILE.npy has the ranks as its first "
             "dimension")
      .texts("--arg", "NAME=NUMBER", o.arguments, "a scalar")
      .choice("--check", o.check, {"off", "all"}, "whether the run is checked", "all on a2a3 and a5, off on cpu")
      .number("--seed", o.seed, {0, UINT64_MAX},
              "fills arrays; pipes run ahead and blocks interleave by it, 0: in order")
      .number("--blocks", o.blocks, {1, 65535}, "how many blocks run the kernel")
      .number("--dyn-ub", o.dyn_ub_bytes, {0, most_ub_bytes}, "dynamic bytes of UB")
      .number("--ranks", o.ranks, {1, 1024}, "number of ranks, each with arrays of its own", "none")
      .choice("--engine", o.engine, {"threads", "processes", "mpi"}, "how ranks are run", "threads")
      .number("--deadline", o.deadline_ms, {1, most_deadline_ms}, "milliseconds that a rank waits for another", "5000")
      .flag("--insert-sync", o.insert_sync, "add the flags between pipes that the target needs")
      .text("--trace", "FILE.json", o.trace,
            "write a timeline for ui.perfetto.dev; with --ranks FILE.0.json, FILE.1.json...");
  add_input(line, o.input, {"cpu", "a2a3", "a5"});
  return line
      .require([&o] {
        const bool alone = o.ranks == 0 && (!o.engine.empty() || o.deadline_ms > 0);
        return std::string(alone ? "--engine and --deadline are for --ranks N" : "");
      })
      .note(
          "Only the root executes a collective; on other ranks it does nothing. --engine mpi needs the mpirun of the "
          "MPI that "
          "ptox was built with.")
      .note("Exit code 0: clean; 1: findings, or the file was rejected; 2: usage; 3: internal error.")
      .example("ptox run kernel.pto --target a5 --in table=t.npy --out dst=d.npy --arg n=128", "on the model of a5")
      .example("mpirun -n 4 ptox run kernel.pto --ranks 4 --engine mpi", "on four ranks of an MPI job");
}

int run(Arguments arguments) {
  RunOptions o;
  const CommandLine line = command_line(o);
  if (const auto code = line.parse(arguments)) return *code;
  return run_file(o, line, arguments);
}

std::string help() {
  RunOptions o;
  return command_line(o).help();
}

}  // namespace

const Verb run_verb{"run", "run a kernel of a .pto file on a target", help, run};

}  // namespace ptox::tool
