// SPDX-License-Identifier: Apache-2.0
// ptox bench lists its names, refuses other names, and writes what it measured. No test looks at a time.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "shell.hpp"

namespace ptox {
namespace {

Ended bench(const std::string& arguments) { return shell("'" PTOX_TOOL "' bench " + arguments); }

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

TEST(bench, lists_every_name_and_explains_it_in_its_help) {
  const Ended list = bench("--list"), help = bench("--help");
  EXPECT_EQ(list.code, 0);
  std::istringstream lines(list.output);
  int names = 0;
  for (std::string line; std::getline(lines, line); ++names) {
    const std::string name = line.substr(0, line.find(' '));
    EXPECT_TRUE(has(help.output, name)) << name;
    EXPECT_GT(line.size(), 30u) << line;
  }
  EXPECT_EQ(names, 27);
}

TEST(bench, refuses_wrong_arguments_with_a_sentence_and_exit_code_2) {
  const std::pair<const char*, const char*> wrong[] = {
      {"fast", "there is no benchmark 'fast'; `ptox bench --list` prints them"},
      {"w10", "there is no benchmark 'w10'; did you mean w1? `ptox bench --list` prints them"},
      {"hostiel", "there is no benchmark 'hostiel'; did you mean hostile? `ptox bench --list` prints them"},
      {"--fast", "there is no option '--fast'"},
      {"--round 3", "there is no option '--round'; did you mean --rounds?"},
      {"--rounds", "--rounds needs a value"},
      {"--quick=yes", "--quick takes no value"},
      {"--rounds 0", "--rounds is '0'; it must be from 1 to 1000"},
      {"--rounds 7x", "--rounds is '7x'; it must be from 1 to 1000"},
      {"--threads many", "--threads is 'many'; it must be from 1 to 1024"},
      {"--json ''", "--json is empty; it must be the name of a file"},
      {"--json=", "--json is empty; it must be the name of a file"}};
  for (const auto& [arguments, message] : wrong) {
    const Ended e = bench(arguments);
    EXPECT_EQ(e.code, 2) << arguments;
    EXPECT_EQ(e.output, std::string("ptox bench: ") + message + "\nsee ptox bench --help\n");
  }
}

TEST(bench, writes_valid_json_and_svg_with_the_cases_that_were_named) {
  const Folder folder;
  const std::string json = folder.path / "b.json", svg = folder.path / "b.svg";
  const Ended e = bench("--quick w3-64ki w2-16 w9-row --rounds 2 --threads 2 --json " + json + " --svg " + svg);
  ASSERT_EQ(e.code, 0) << e.output;
  for (const char* name : {"cpu ", "simd ", "w3-64ki ", "w2-16 ", "w9-row "}) EXPECT_TRUE(has(e.output, name)) << name;
  const Ended read = shell(
      "python3 -c 'import json, sys, xml.dom.minidom\n"
      "d = json.load(open(sys.argv[1]))\n"
      "for r in d[\"results\"]:\n"
      "  ours = [w for w in r[\"ways\"] if w[\"kind\"] == \"ours\" and w[\"threads\"] == 1]\n"
      "  print(r[\"case\"], len(ours[0][\"seconds\"]), any(w[\"kind\"] == \"plain\" for w in r[\"ways\"]))\n"
      "print(xml.dom.minidom.parse(sys.argv[2]).documentElement.tagName)' " +
      json + " " + svg);
  EXPECT_EQ(read.output, "w3-64ki 2 True\nw2-16 2 True\nw9-row 2 True\nsvg\n");
  for (const char* name : {">w3-64ki<", ">w2-16<", ">ptox<"}) EXPECT_TRUE(has(contents(svg), name)) << name;
}

TEST(bench, every_way_gives_the_bytes_of_the_plain_loop) {
  const Ended e = bench("--quick --rounds 1");  // a difference ends it with exit code 1
  EXPECT_EQ(e.code, 0) << e.output;
  for (const char* name : {"w1 ", "w4 ", "w7 ", "w8-elem-bf16 ", "w9-elem "}) EXPECT_TRUE(has(e.output, name)) << name;
}

TEST(bench, curves_and_hostile_orders_run_too) {
  const Ended e = bench("--quick --rounds 1 hostile sentinel tile sizes widths rare");
  EXPECT_EQ(e.code, 0) << e.output;
  for (const char* name : {"gather rows, all the same", "add rows of 16 B, sorted", "scatter rows, reversed",
                           "min rows, Zipf", "scatter elements, two hot rows", "max elements of i32, Zipf",
                           "99 % are -1", "add rows of 512 B", "next indices loaded", "with the next ahead",
                           "gather elements 64000", "scatter rows 4097", "gather 1024 x 512 B"})
    EXPECT_TRUE(has(e.output, name)) << name;
}

TEST(bench, ranks_give_the_bytes_of_one_process) {
  const Ended e = bench("--quick --rounds 1 sharded");  // a difference ends it with exit code 1
  EXPECT_EQ(e.code, 0) << e.output;
  for (const char* name : {"gather rows (w1)", "scatter rows (w4)", "add rows (w5)", "2 processes", "2 threads"})
    EXPECT_TRUE(has(e.output, name)) << name;
}

TEST(bench, needs_neither_compilers_nor_peers) {
  const Ended e = shell("PATH=/nowhere PTOX_PEERS=/nowhere/python '" PTOX_TOOL "' bench --quick --rounds 1 w2-16");
  EXPECT_EQ(e.code, 0) << e.output;
  EXPECT_TRUE(has(e.output, "the copy in the tool, no compiler was found")) << e.output;
  EXPECT_TRUE(has(e.output, "left out, PTOX_PEERS is '/nowhere/python', which is no Python that has them")) << e.output;
}

TEST(bench, is_a_program_beside_the_tool_or_a_sentence_that_says_how_to_build_it) {
  const Folder folder;
  const std::string place = folder.path.string(), tool = place + "/bin/ptox";
  ASSERT_EQ(shell("mkdir '" + place + "/bin' && cp '" PTOX_TOOL "' '" + tool + "'").code, 0);
  const Ended missing = shell("'" + tool + "' bench --list");
  EXPECT_EQ(missing.code, 3);
  EXPECT_TRUE(has(missing.output, "ptox bench: needs " + place + "/bin/ptox-bench, which is built by itself"))
      << missing.output;
  EXPECT_TRUE(has(missing.output, "--target ptox_bench")) << missing.output;
  std::ofstream(tool + "-bench") << "#!/bin/sh\nprintf '<%s>' \"$@\"\nexit 7\n";
  ASSERT_EQ(shell("chmod +x '" + tool + "-bench'").code, 0);
  const Ended there = shell("'" + tool + "' bench w1 '' '--rounds=3'");
  EXPECT_EQ(there.code, 7);
  EXPECT_EQ(there.output, "<w1><><--rounds=3>");
}

TEST(bench, on_a_gpu_is_another_program_or_a_sentence) {
  const bool there = std::filesystem::exists(std::filesystem::path(PTOX_TOOL).parent_path() / "ptox-gpu-bench");
  const Ended wrong = bench("--gpu w1"), list = bench("--gpu --list");
  if (there) {
    EXPECT_EQ(wrong.code, 2);
    EXPECT_EQ(wrong.output,
              "ptox bench --gpu: there is no case 'w1'; `ptox bench --gpu --list` prints the cases\n"
              "see ptox bench --gpu --help\n");
    EXPECT_EQ(list.code, 0);
    EXPECT_EQ(std::count(list.output.begin(), list.output.end(), '\n'), 23);
  } else {
    EXPECT_EQ(wrong.code, 3);
    EXPECT_TRUE(has(wrong.output, "which is built where nvcc is found")) << wrong.output;
  }
}

TEST(bench, says_when_a_file_cannot_be_written) {
  const Ended e = bench("--quick --rounds 1 w2-16 --json /nowhere/b.json");
  EXPECT_EQ(e.code, 3);
  EXPECT_TRUE(has(e.output, "cannot write /nowhere/b.json")) << e.output;
}

}  // namespace
}  // namespace ptox
