// SPDX-License-Identifier: Apache-2.0
// The entry of libFuzzer, for one reader in each program.
#pragma once

#include <cstdio>
#include <cstdlib>

#include "fuzz/fuzz.hpp"

// libMLIR itself is not instrumented: its containers are not annotated as ours are, nor its arenas poisoned. Not
// inline, for the sanitizer has a weak one of its own.
extern "C" const char* __asan_default_options() { return "detect_container_overflow=0:allow_user_poisoning=0"; }

namespace ptox::fuzz {

inline int one_input(const std::uint8_t* data, std::size_t size, assembly::TextForm form) {
  const std::string fault = disproved({reinterpret_cast<const char*>(data), size}, form);
  if (fault.empty()) return 0;
  std::fprintf(stderr, "%s\n", fault.c_str());
  std::abort();
}

}  // namespace ptox::fuzz
