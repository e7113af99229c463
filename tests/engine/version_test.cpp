// SPDX-License-Identifier: Apache-2.0
// Objects link only with the library of the version of their headers.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "shell.hpp"

namespace ptox {
namespace {

/// Compiles and links a program that uses the engine, with more flags.
Ended link_program(const std::string& flags) {
  const Folder folder;
  std::ofstream(folder.path / "p.cpp") << "#include <pto/pto-inst.hpp>\n"
                                          "#include <ptox/ptox.hpp>\n"
                                          "int main() { return !ptox::Device().launch({}, [] {}).clean(); }\n";
  return shell("cd '" + folder.path.string() + "' && '" PTOX_CXX "' -std=c++20 " PTOX_FLAGS " " + flags +
               " -I" PTOX_SOURCE_DIR "/include p.cpp '" PTOX_LIBRARY "' -lpthread -o p");
}

TEST(version, the_symbol_has_the_version_of_the_project) {
  std::string version = PTOX_VERSION;
  std::replace(version.begin(), version.end(), '.', '_');
  EXPECT_NE(contents(PTOX_SOURCE_DIR "/include/pto/tile/version.hpp").find("headers_of_version_" + version + ";"),
            std::string::npos)
      << version;
}

TEST(version, an_object_of_other_headers_does_not_link) {
  const Ended same = link_program(""), other = link_program("-Dheaders_of_version_0_1_0=headers_of_version_0_0_9");
  EXPECT_EQ(same.code, 0) << same.output;
  EXPECT_NE(other.code, 0);
  EXPECT_NE(other.output.find("headers_of_version_0_0_9"), std::string::npos) << other.output;
}

}  // namespace
}  // namespace ptox
