// SPDX-License-Identifier: Apache-2.0
// The initial contents of kernel arguments for which no input file is given.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "asm/run/runtime.hpp"

namespace ptox::assembly {

/// Fills `bytes` with generated data and returns a description of it. Numbers are small integers whose sums are exact
/// in f16. Indices are within the table, and each slot is used once before one is repeated (for up to 2^24 slots).
/// Arguments that the kernel only writes are zero.
std::string fill(std::span<std::byte> bytes, DType dtype, const ArgumentUse& use, std::uint64_t seed);

/// One element as text.
std::string element_text(DType dtype, const std::byte* element);
/// One element as a number.
double element_value(DType dtype, const std::byte* element);

}  // namespace ptox::assembly
