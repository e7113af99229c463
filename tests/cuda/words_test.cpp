// SPDX-License-Identifier: Apache-2.0
// The names that the headers and CUDA both define, __global__ and half, compiled by a host compiler.
#include <gtest/gtest.h>

#include <fstream>

#include "shell.hpp"

namespace ptox {
namespace {

Ended compile(const std::string& text) {
  const Folder folder;
  const std::string file = folder.path / "words.cpp";
  std::ofstream(file) << text;
  return shell(PTOX_CXX " -std=c++20 -fsyntax-only -I " PTOX_SOURCE_DIR "/include " + file);
}

const std::string words = "#include <pto/tile/qualifiers.hpp>\n", numbers = "#include <pto/tile/number.hpp>\n";
const std::string cuda_fp16 = R"(
#define __CUDA_FP16_H__
struct __half;
#ifndef CUDA_NO_HALF
typedef __half half;
#endif
)";

TEST(cuda_words, global_means_nothing_below_the_headers) {
  const Ended e = compile("#define __global__ wrong\n" + words + "__global__ int i = 0;\n");
  EXPECT_EQ(e.code, 0) << e.output;
}

TEST(cuda_words, global_keeps_its_meaning_with_pto_keep_global) {
  const Ended e = compile("#define PTO_KEEP_GLOBAL\n#define __global__ int\n" + words + "__global__ i = 0;\n");
  EXPECT_EQ(e.code, 0) << e.output;
}

TEST(cuda_words, half_of_cuda_may_be_declared_below_the_headers) {
  const Ended e = compile(numbers + cuda_fp16 + "static_assert(half(1.5f) == 1.5f);\n");
  EXPECT_EQ(e.code, 0) << e.output;
}

TEST(cuda_words, half_of_cuda_above_the_headers_is_an_error_that_names_the_remedy) {
  const Ended refused = compile(cuda_fp16 + numbers);
  EXPECT_NE(refused.code, 0);
  EXPECT_NE(refused.output.find("or define CUDA_NO_HALF before it"), std::string::npos) << refused.output;
  const Ended remedied = compile("#define CUDA_NO_HALF\n" + cuda_fp16 + numbers);
  EXPECT_EQ(remedied.code, 0) << remedied.output;
}

}  // namespace
}  // namespace ptox
