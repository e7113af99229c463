// SPDX-License-Identifier: Apache-2.0
// Exceptions of host functions.
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "isa/pitfalls/kit.hpp"
#include "launched.hpp"

namespace {

using namespace ptox::pitfalls;

/// The sentence of what a host function throws.
template <class F>
std::string thrown(F f) {
  try {
    f();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return {};
}

TEST(host, wrong_arguments_throw_a_sentence) {
  ptox::Device dev(at::a5);
  EXPECT_NE(thrown([&] { static_cast<void>(dev.alloc<float>(-1)); }).find("-1"), std::string::npos);
  EXPECT_NE(thrown([&] { static_cast<void>(dev.alloc<float>(INT64_MAX)); }).find("9223372036854775807"),
            std::string::npos);
  EXPECT_FALSE(thrown([&] { static_cast<void>(dev.alloc<float>(int64_t{1} << 60)); }).empty());
  EXPECT_NE(thrown([&] { dev.adopt<float>(nullptr, 8); }).find("null"), std::string::npos);
  float one = 0;
  EXPECT_NE(thrown([&] { dev.adopt(&one, -8); }).find("-8"), std::string::npos);
  EXPECT_NE(thrown([&] { ignore_findings(dev.launch({.blocks = 0}, [] {})); }).find("0"), std::string::npos);
  EXPECT_NE(thrown([&] { ignore_findings(dev.launch({.blocks = -3}, [] {})); }).find("-3"), std::string::npos);
}

TEST(host, a_kernels_own_exception_is_rethrown_when_all_blocks_are_done) {
  for (const ptox::Target* t : targets) {
    ptox::Device dev(*t);
    auto done = dev.alloc<int>(4);
    EXPECT_THROW(ignore_findings(dev.launch({.blocks = 4},
                                            [&] {
                                              done[get_block_idx()] = 1;
                                              if (get_block_idx() == 1) throw std::runtime_error("the kernel's own");
                                            })),
                 std::runtime_error);
    for (int d : done) EXPECT_EQ(d, 1) << t->name;
  }
}

}  // namespace
