// SPDX-License-Identifier: Apache-2.0
// Fuzzes the AS reader.
#include "fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return ptox::fuzz::one_input(data, size, ptox::assembly::TextForm::as);
}
