// SPDX-License-Identifier: Apache-2.0
// Runs this rank's part of the tests. Every rank runs each of them; the first says which, the others what fails.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace {

bool first_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK"})
    if (const char* value = std::getenv(name)) return std::string(value) == "0";
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (!first_rank()) GTEST_FLAG_SET(brief, true);
  return RUN_ALL_TESTS();
}
