// SPDX-License-Identifier: Apache-2.0
// Do the commands of the README on .pto files print what it says?
#include <gtest/gtest.h>

#include "shell.hpp"

namespace ptox::assembly {

namespace {

/// The README's line that begins so, up to its comment.
std::string command(const std::string& readme, const std::string& beginning) {
  const std::size_t at = readme.find("\n" + beginning);
  if (at == std::string::npos) return "";
  const std::string line = readme.substr(at + 1, readme.find('\n', at + 1) - at - 1);
  return line.substr(0, line.find(" #"));
}

Ended as_written(const std::string& line) {
  return shell("cd '" PTOX_SOURCE_DIR "' && '" PTOX_TOOL "' " + line.substr(line.find(' ')));
}

}  // namespace

TEST(docs, readme_commands_on_assembly_do_what_it_says) {
  const std::string readme = contents(PTOX_SOURCE_DIR "/README.md");
  const std::string verify = command(readme, "./ptox verify "), run = command(readme, "./ptox run "),
                    emit = command(readme, "./ptox emit ");
  ASSERT_FALSE(verify.empty() || run.empty() || emit.empty());
  EXPECT_EQ(as_written(verify).output, "examples/embedding_lookup.pto: ok on a2a3\n");
  const Ended ran = as_written(run);
  EXPECT_EQ(ran.code, 0);
  EXPECT_NE(readme.find("```\n" + ran.output + "```\n"), std::string::npos) << ran.output;
  const Ended printed = as_written(emit);
  EXPECT_EQ(printed.code, 0);
  EXPECT_NE(printed.output.find("MGATHER<Coalesce::Row, GatherOOB::Undefined>(dst, table_gm, index);"),
            std::string::npos);
}

TEST(docs, the_kernel_of_the_assembly_page_runs) {
  const std::string page = contents(PTOX_SOURCE_DIR "/docs/assembly.md");
  const std::size_t begin = page.find("```\n# Eight rows") + 4, end = page.find("```", begin);
  ASSERT_LT(begin, end);
  const Folder folder;
  const std::string file = folder.path / "lookup.pto";
  std::ofstream(file) << page.substr(begin, end - begin);
  for (const char* target : {"cpu --check all", "a5"}) {
    const Ended ran = shell("'" PTOX_TOOL "' run '" + file + "' --target " + target);
    EXPECT_EQ(ran.code, 0) << ran.output;
    EXPECT_NE(ran.output.find("1 block: clean\nkernel lookup:\n"), std::string::npos) << ran.output;
  }
}

TEST(docs, the_ranks_of_the_assembly_page_run) {
  const std::string page = contents(PTOX_SOURCE_DIR "/docs/assembly.md");
  const std::size_t begin = page.find("```\n# The root") + 4, end = page.find("```", begin);
  ASSERT_LT(begin, end);
  const Folder folder;
  const std::string path = folder.path.string(), x = path + "/x.npy";
  std::ofstream(path + "/share.pto") << page.substr(begin, end - begin);
  const std::string line = page.substr(page.find("./ptox run share.pto") + 6, 200);
  const std::string order = line.substr(0, line.find('\n'));
  const std::string at = "cd '" + path + "' && '" PTOX_TOOL "' ";
  ASSERT_EQ(shell(at + "run share.pto --ranks 4 --out src@1=x.npy").code, 0);
  const Ended ran = shell(at + order);
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_NE(ran.output.find("1 block: clean\n"), std::string::npos) << ran.output;
  EXPECT_NE(ran.output.find("kernel share, 4 ranks:\n"), std::string::npos) << ran.output;
  EXPECT_TRUE(std::filesystem::exists(path + "/parts.npy") && std::filesystem::exists(path + "/most.npy"));
}

}  // namespace ptox::assembly
