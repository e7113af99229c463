// SPDX-License-Identifier: Apache-2.0
// The initial bytes of kernel arguments that no file fills.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "asm/runtime.hpp"

namespace ptox::assembly {

/// Fills `bytes` from a seed and says how, in words. Data are small numbers whose sums are exact in f16 too; what the
/// kernel reads as indices is within the table, each slot once before any comes twice; what it only writes is zero.
std::string fill(std::span<std::byte> bytes, DType dtype, const ArgumentUse& use, std::uint64_t seed);

/// One element as a person reads it.
std::string element_text(DType dtype, const std::byte* element);
/// The same as a number.
double element_value(DType dtype, const std::byte* element);

}  // namespace ptox::assembly
