// SPDX-License-Identifier: Apache-2.0
#include "asm/run/inputs.hpp"

#include <cstring>
#include <numeric>
#include <sstream>
#include <vector>

#include "engine/system/random.hpp"

namespace ptox::assembly {

namespace {

template <class T>
void put(std::span<std::byte> bytes, std::size_t i, T value) {
  std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
}

/// Fills with valid indices: random permutations of all slots, one after another; for more than 2^24 slots, independent
/// random slots.
template <class T>
void fill_indices(std::span<std::byte> bytes, const ArgumentUse& use, Random random) {
  constexpr std::int64_t most_shuffled = 1 << 24;
  const std::int64_t count = use.index_capacity <= 0 ? 1 : (use.index_capacity + use.index_step - 1) / use.index_step;
  std::vector<std::int64_t> slots(static_cast<std::size_t>(count <= most_shuffled ? count : 0));
  std::iota(slots.begin(), slots.end(), 0);
  std::size_t left = 0;
  for (std::size_t i = 0; i < bytes.size() / sizeof(T); ++i) {
    std::int64_t slot = 0;
    if (slots.empty()) {
      slot = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(count)));
    } else {
      if (left == 0) left = slots.size();
      std::swap(slots[random.below(left)], slots[left - 1]);
      slot = slots[--left];
    }
    put(bytes, i, static_cast<T>(slot * use.index_step));
  }
}

template <class T>
void fill_numbers(std::span<std::byte> bytes, Random random) {
  const bool is_signed = std::is_floating_point_v<T> || !std::is_integral_v<T> || std::is_signed_v<T>;
  for (std::size_t i = 0; i < bytes.size() / sizeof(T); ++i) {
    const int value = static_cast<int>(random.below(is_signed ? 17 : 9)) - (is_signed ? 8 : 0);
    put(bytes, i, static_cast<T>(static_cast<float>(value)));
  }
}

}  // namespace

std::string fill(std::span<std::byte> bytes, DType dtype, const ArgumentUse& use, std::uint64_t seed) {
  if (use.written && !use.read) return "zeros";
  const bool index = use.index_capacity >= 0 && (dtype == DType::i32 || dtype == DType::u32);
  if (index) {
    fill_indices<std::uint32_t>(bytes, use, Random(seed));
    return "seed " + std::to_string(seed) + ", indices below " + std::to_string(use.index_capacity);
  }
  pto::instr::with_type(dtype, [&]<class T>() { fill_numbers<T>(bytes, Random(seed)); });
  return "seed " + std::to_string(seed);
}

double element_value(DType dtype, const std::byte* element) {
  return pto::instr::with_type(dtype, [&]<class T>() -> double {
    T value;
    std::memcpy(&value, element, sizeof(T));
    if constexpr (std::is_arithmetic_v<T>)
      return static_cast<double>(value);
    else
      return static_cast<double>(static_cast<float>(value));
  });
}

std::string element_text(DType dtype, const std::byte* element) {
  std::ostringstream out;
  pto::instr::with_type(dtype, [&]<class T>() {
    T value;
    std::memcpy(&value, element, sizeof(T));
    if constexpr (std::is_integral_v<T>)
      out << +value;
    else
      out << element_value(dtype, element);
  });
  return out.str();
}

}  // namespace ptox::assembly
