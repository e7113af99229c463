// SPDX-License-Identifier: Apache-2.0
// The narrow number types agree with independent implementations for every bit pattern, and round only once.
#include "pto/tile/number.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <ios>
#include <iterator>
#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace {

// Compile-time properties of a number type.
template <typename T, typename Storage>
constexpr bool is_plain_storage() {
  return std::is_trivially_default_constructible_v<T> && std::is_trivially_copyable_v<T> &&
         std::is_standard_layout_v<T> && sizeof(T) == sizeof(Storage) && alignof(T) == alignof(Storage) &&
         std::same_as<decltype(T{}.bits()), Storage>;
}
static_assert(is_plain_storage<half, std::uint16_t>());
static_assert(is_plain_storage<bfloat16_t, std::uint16_t>());
static_assert(is_plain_storage<float8_e4m3_t, std::uint8_t>());
static_assert(is_plain_storage<float8_e5m2_t, std::uint8_t>());
static_assert(is_plain_storage<hifloat8_t, std::uint8_t>());

static_assert(!std::same_as<half, bfloat16_t> && !std::same_as<float8_e4m3_t, float8_e5m2_t>);
static_assert(!std::same_as<hifloat8_t, float8_e4m3_t> && !std::same_as<hifloat8_t, float8_e5m2_t>);
static_assert(!std::is_arithmetic_v<half> && !std::is_arithmetic_v<bfloat16_t>);
static_assert(std::same_as<half, aclFloat16> && std::same_as<half, pto::half>);
static_assert(std::same_as<bfloat16_t, pto::bfloat16_t>);
static_assert(std::same_as<hifloat8_t, pto::hifloat8_t>);

template <typename T, typename Source>
constexpr bool converts_both_ways =
    std::convertible_to<Source, T> && std::convertible_to<T, Source> && std::same_as<decltype(T{} + 1.0f), float> &&
    std::same_as<decltype(T{} + T{}), float> && std::same_as<decltype(T{} + 1), float> &&
    std::same_as<decltype(T{} + 1.0), double> && std::same_as<decltype(T{} < T{}), bool> &&
    std::same_as<decltype(-T{}), float>;
template <typename T>
constexpr bool mixes_with_arithmetic_types =
    converts_both_ways<T, float> && converts_both_ways<T, double> && converts_both_ways<T, long double> &&
    converts_both_ways<T, int> && converts_both_ways<T, std::int64_t> && converts_both_ways<T, std::uint64_t> &&
    converts_both_ways<T, std::uint8_t> && converts_both_ways<T, bool> && converts_both_ways<T, char>;
static_assert(mixes_with_arithmetic_types<half> && mixes_with_arithmetic_types<bfloat16_t>);
static_assert(mixes_with_arithmetic_types<float8_e4m3_t> && mixes_with_arithmetic_types<float8_e5m2_t>);
static_assert(mixes_with_arithmetic_types<hifloat8_t>);

// Conversions between narrow types are explicit.
static_assert(!std::convertible_to<half, bfloat16_t> && std::constructible_from<bfloat16_t, half>);
static_assert(bfloat16_t(half(1.5f)).bits() == 0x3FC0);

static_assert(half(1.5f).bits() == 0x3E00 && float(half::from_bits(0x3E00)) == 1.5f);
static_assert(bfloat16_t(3).bits() == 0x4040 && float(bfloat16_t::from_bits(0x4040)) == 3.0f);
static_assert(float8_e4m3_t(2.5).bits() == 0x42 && float(float8_e4m3_t::from_bits(0x42)) == 2.5f);
static_assert(float8_e5m2_t(2.5).bits() == 0x41 && float(float8_e5m2_t::from_bits(0x41)) == 2.5f);
static_assert(hifloat8_t(1.125f).bits() == 0x09 && float(hifloat8_t::from_bits(0x09)) == 1.125f);

struct Table {
  std::vector<std::uint32_t> widened;
  std::vector<std::uint32_t> inputs;
  std::vector<std::uint32_t> codes;
};

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open " + path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class Reader {
 public:
  explicit Reader(const std::string& bytes) : bytes_(bytes) {}

  std::string text(std::size_t size) {
    need(size);
    const std::string result = bytes_.substr(at_, size);
    at_ += size;
    return result.c_str();  // without the padding
  }

  std::uint32_t number(std::size_t size) {
    need(size);
    std::uint32_t result = 0;
    for (std::size_t i = 0; i < size; ++i) {
      result |= std::uint32_t{static_cast<unsigned char>(bytes_[at_++])} << (8 * i);
    }
    return result;
  }

  std::vector<std::uint32_t> numbers(std::size_t count, std::size_t size) {
    need(count * size);
    std::vector<std::uint32_t> result(count);
    for (auto& value : result) value = number(size);
    return result;
  }

  void expect_end() const {
    if (at_ != bytes_.size()) throw std::runtime_error("numbers.bin has bytes after its end");
  }

 private:
  void need(std::size_t size) const {
    if (bytes_.size() - at_ < size) throw std::runtime_error("numbers.bin is truncated");
  }

  const std::string& bytes_;
  std::size_t at_ = 0;
};

std::map<std::string, Table> read_tables(const std::string& bytes) {
  Reader reader(bytes);
  if (reader.text(8) != "PTOXNUM1") throw std::runtime_error("numbers.bin is another kind of file");
  std::map<std::string, Table> tables;
  for (std::uint32_t left = reader.number(4); left > 0; --left) {
    Table& table = tables[reader.text(8)];
    const std::uint32_t code_size = reader.number(4);
    const std::uint32_t widen_count = reader.number(4);
    const std::uint32_t narrow_count = reader.number(4);
    if (widen_count != 1u << (8 * code_size)) throw std::runtime_error("numbers.bin lacks codes");
    table.widened = reader.numbers(widen_count, 4);
    table.inputs = reader.numbers(narrow_count, 4);
    table.codes = reader.numbers(narrow_count, code_size);
  }
  reader.expect_end();
  return tables;
}

template <typename T>
const char* const format_name = nullptr;
template <>
const char* const format_name<half> = "half";
template <>
const char* const format_name<bfloat16_t> = "bf16";
template <>
const char* const format_name<float8_e4m3_t> = "e4m3";
template <>
const char* const format_name<float8_e5m2_t> = "e5m2";
template <>
const char* const format_name<hifloat8_t> = "hif8";

const std::map<std::string, Table>& all_tables() {
  static const std::map<std::string, Table> tables = read_tables(read_file(PTOX_TEST_DATA "/numbers.bin"));
  return tables;
}

// Throws if there is no such table, which makes the test fail.
template <typename T>
const Table& table_of() {
  return all_tables().at(format_name<T>);
}

// Collects the results of many comparisons and reports one failure with the count and the first failed rows.
class Verdict {
 public:
  template <typename Input, typename Got, typename Wanted>
  void expect(bool good, Input input, Got got, Wanted wanted) {
    if (good || ++failures_ > 5) return;
    text_ << std::hex << std::hexfloat << "\n  " << +input << " gave " << +got << ", not " << +wanted;
  }

  ~Verdict() { EXPECT_EQ(failures_, 0) << text_.str(); }

 private:
  int failures_ = 0;
  std::ostringstream text_;
};

template <typename T>
constexpr unsigned code_count = 1u << (8 * sizeof(T));

template <typename T>
T from_code(unsigned code) {
  return T::from_bits(static_cast<typename T::storage>(code));
}

template <typename T>
bool is_nan(T value) {
  return std::isnan(static_cast<float>(value));
}

std::uint32_t pattern(float value) { return std::bit_cast<std::uint32_t>(value); }

template <typename T>
void expect_codes_to_widen_as_in_table() {
  const Table& table = table_of<T>();
  ASSERT_EQ(table.widened.size(), code_count<T>);
  Verdict verdict;
  for (unsigned code = 0; code < code_count<T>; ++code) {
    const std::uint32_t wanted = table.widened[code];
    const std::uint32_t got = pattern(from_code<T>(code));
    const bool wants_nan = std::isnan(std::bit_cast<float>(wanted));
    const bool same_nan = std::isnan(std::bit_cast<float>(got)) && got >> 31 == wanted >> 31;
    verdict.expect(wants_nan ? same_nan : got == wanted, code, got, wanted);
  }
}

template <typename T>
void expect_numbers_to_come_back() {
  Verdict verdict;
  unsigned numbers = 0;
  for (unsigned code = 0; code < code_count<T>; ++code) {
    const T value = from_code<T>(code);
    if (is_nan(value)) continue;
    ++numbers;
    const float single = value;
    const double twice_as_wide = value;
    verdict.expect(T(single).bits() == code, code, T(single).bits(), code);
    verdict.expect(T(twice_as_wide).bits() == code, code, T(twice_as_wide).bits(), code);
  }
  EXPECT_GT(numbers, code_count<T> * 9 / 10);
}

template <typename T>
void expect_rows_to_narrow_as_in_table() {
  const Table& table = table_of<T>();
  ASSERT_GT(table.inputs.size(), 9000u);
  ASSERT_EQ(table.inputs.size(), table.codes.size());
  Verdict verdict;
  for (std::size_t row = 0; row < table.inputs.size(); ++row) {
    const auto input = std::bit_cast<float>(table.inputs[row]);
    const T got = input;
    const bool good =
        std::isnan(input) ? is_nan(got) && is_nan(from_code<T>(table.codes[row])) : got.bits() == table.codes[row];
    verdict.expect(good, table.inputs[row], got.bits(), table.codes[row]);
  }
}

template <typename T>
void expect_nan_to_stay_nan() {
  Verdict verdict;
  for (std::uint32_t payload = 1; payload < 0x800000; payload += payload < 64 ? 1 : 4099) {
    for (const std::uint32_t sign : {0u, 0x80000000u}) {
      const std::uint32_t bits = sign | 0x7F800000u | payload;
      const T single = std::bit_cast<float>(bits);
      verdict.expect(is_nan(single), bits, single.bits(), 0);
      const auto wide = std::uint64_t{bits} << 32 | (payload & 1);
      const T from_double = std::bit_cast<double>(wide | 0x7FFull << 52);
      verdict.expect(is_nan(from_double), wide, from_double.bits(), 0);
    }
  }
  const T only_lowest_bit = std::bit_cast<double>(0x7FF0000000000001ull);
  EXPECT_TRUE(is_nan(only_lowest_bit));
}

template <typename T>
std::vector<T> ascending_numbers() {
  std::vector<T> numbers;
  for (unsigned code = 0; code < code_count<T>; ++code) {
    const T value = from_code<T>(code);
    if (std::isfinite(value) && !std::signbit(value)) numbers.push_back(value);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

// A double next to the midpoint of two numbers would be rounded to the midpoint by a conversion via float.
template <typename T>
void expect_doubles_to_round_once() {
  const std::vector<T> numbers = ascending_numbers<T>();
  Verdict verdict;
  int different_through_float = 0;
  for (std::size_t i = 0; i + 1 < numbers.size(); ++i) {
    const double middle = (double{numbers[i]} + double{numbers[i + 1]}) / 2;
    const double below = std::nextafter(middle, 0.0);
    const double above = std::nextafter(middle, std::numeric_limits<double>::infinity());
    verdict.expect(T(below).bits() == numbers[i].bits(), below, T(below).bits(), numbers[i].bits());
    verdict.expect(T(above).bits() == numbers[i + 1].bits(), above, T(above).bits(), numbers[i + 1].bits());
    verdict.expect(T(-above) == -numbers[i + 1], -above, T(-above).bits(), numbers[i + 1].bits());
    different_through_float += T(static_cast<float>(below)).bits() != T(below).bits();
    different_through_float += T(static_cast<float>(above)).bits() != T(above).bits();
  }
  EXPECT_GE(different_through_float, static_cast<int>(numbers.size()) - 1);
}

// All these integers are exact in double, so the conversion from double, which is tested above, is the reference.
template <typename T>
void expect_integers_to_round_as_doubles() {
  Verdict verdict;
  const auto compare = [&verdict](auto value) {
    const auto wanted = T(static_cast<double>(value)).bits();
    verdict.expect(T(value).bits() == wanted, value, T(value).bits(), wanted);
  };
  for (std::int32_t value = -70000; value <= 70000; ++value) {
    compare(value);
    compare(std::int64_t{value});
    if (value >= 0) compare(static_cast<std::uint64_t>(value));
  }
  for (int value = -128; value < 256; ++value) {
    compare(static_cast<std::int8_t>(value));
    compare(static_cast<std::uint8_t>(value));
  }
  for (int shift = 0; shift < 63; ++shift) {
    compare(std::int64_t{1} << shift);
    compare(-(std::int64_t{1} << shift));
  }
  compare(std::numeric_limits<std::int64_t>::min());
  compare(std::uint64_t{1} << 63);
  compare(std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(T(true).bits(), T(1.0f).bits());
  EXPECT_EQ(T(false).bits(), T(0.0f).bits());
}

template <typename T>
void expect_compound_assignment_to_round_the_sum() {
  T value = 1.5f;
  value += 2;
  EXPECT_EQ(float{value}, 3.5f);
  value -= T(0.5f);
  EXPECT_EQ(float{value}, 3.0f);
  value *= 2.0;
  EXPECT_EQ(float{value}, 6.0f);
  value /= half(4);
  EXPECT_EQ(float{value}, 1.5f);
  const T one = 1.0f;
  const double half_step = double{std::numeric_limits<T>::epsilon()} / 2;
  value = one;
  value += half_step * (1 + 1e-12);
  EXPECT_EQ(value.bits(), T(1 + std::numeric_limits<T>::epsilon()).bits());
  (value = one) += 1;
  EXPECT_EQ(float{value}, 2.0f);
}

template <typename T>
void expect_limits_to_match_the_codes() {
  using limits = std::numeric_limits<T>;
  static_assert(limits::is_specialized && limits::is_signed && limits::is_bounded);
  static_assert(!limits::is_integer && !limits::is_exact && limits::has_quiet_NaN && limits::radix == 2);
  static_assert(std::numeric_limits<const T>::digits == limits::digits);
  const std::vector<T> numbers = ascending_numbers<T>();
  EXPECT_EQ(limits::max().bits(), numbers.back().bits());
  EXPECT_EQ(float{limits::lowest()}, -float{numbers.back()});
  EXPECT_EQ(limits::denorm_min().bits(), numbers.at(1).bits());
  EXPECT_EQ(float{limits::min()}, std::ldexp(1.0f, limits::min_exponent - 1));
  EXPECT_GE(float{limits::max()}, std::ldexp(1.0f, limits::max_exponent - 1));
  EXPECT_LT(double{limits::max()}, std::ldexp(1.0, limits::max_exponent));
  EXPECT_TRUE(is_nan(limits::quiet_NaN()));
  EXPECT_EQ(std::isinf(float{limits::infinity()}), limits::has_infinity);
  EXPECT_EQ(T(std::numeric_limits<float>::infinity()).bits(), limits::infinity().bits());
  const auto next_to_one = std::upper_bound(numbers.begin(), numbers.end(), T(1.0f));
  EXPECT_EQ(float{limits::epsilon()}, *next_to_one - 1.0f);
  EXPECT_EQ(float{limits::epsilon()}, std::ldexp(1.0f, 1 - limits::digits));
  EXPECT_TRUE(is_nan(limits::signaling_NaN()));
}

#define NARROW_NUMBER_TESTS(suite, type)                                                                   \
  TEST(suite, every_code_widens_as_in_table) { expect_codes_to_widen_as_in_table<type>(); }                \
  TEST(suite, every_number_comes_back) { expect_numbers_to_come_back<type>(); }                            \
  TEST(suite, every_row_narrows_as_in_table) { expect_rows_to_narrow_as_in_table<type>(); }                \
  TEST(suite, nan_stays_nan) { expect_nan_to_stay_nan<type>(); }                                           \
  TEST(suite, double_rounds_once) { expect_doubles_to_round_once<type>(); }                                \
  TEST(suite, integers_round_as_doubles) { expect_integers_to_round_as_doubles<type>(); }                  \
  TEST(suite, compound_assignment_rounds_the_sum) { expect_compound_assignment_to_round_the_sum<type>(); } \
  TEST(suite, limits_match_the_codes) { expect_limits_to_match_the_codes<type>(); }

NARROW_NUMBER_TESTS(half, half)
NARROW_NUMBER_TESTS(bf16, bfloat16_t)
NARROW_NUMBER_TESTS(e4m3, float8_e4m3_t)
NARROW_NUMBER_TESTS(e5m2, float8_e5m2_t)
NARROW_NUMBER_TESTS(hif8, hifloat8_t)

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float largest_float = std::numeric_limits<float>::max();

TEST(half, overflows_to_infinity) {
  EXPECT_EQ(half(65519.99f).bits(), 0x7BFF);
  EXPECT_EQ(half(65520.0f).bits(), 0x7C00);
  EXPECT_EQ(half(-65520.0f).bits(), 0xFC00);
  EXPECT_EQ(half(std::nextafter(65520.0, 0.0)).bits(), 0x7BFF);
  EXPECT_EQ(half(std::numeric_limits<double>::max()).bits(), 0x7C00);
  EXPECT_EQ(half(std::numeric_limits<std::int64_t>::min()).bits(), 0xFC00);
  EXPECT_EQ(half(-infinity).bits(), 0xFC00);
}

TEST(half, underflows_to_signed_zero) {
  EXPECT_EQ(half(0x1p-25f).bits(), 0x0000);
  EXPECT_EQ(half(-0x1p-25f).bits(), 0x8000);
  EXPECT_EQ(half(0x1.000002p-25f).bits(), 0x0001);
  EXPECT_EQ(half(std::numeric_limits<double>::denorm_min()).bits(), 0x0000);
  EXPECT_EQ(half(-0.0f).bits(), 0x8000);
}

TEST(half, double_beside_a_tie_is_no_tie) {
  const double beside = 1.0 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ(half(beside).bits(), 0x3C01);
  EXPECT_EQ(half(static_cast<float>(beside)).bits(), 0x3C00);
}

TEST(half, nan_is_quiet_and_keeps_sign_and_payload) {
  EXPECT_EQ(half(std::bit_cast<float>(0x7F800001u)).bits(), 0x7E00);
  EXPECT_EQ(half(std::bit_cast<float>(0xFFC02000u)).bits(), 0xFE01);
  EXPECT_EQ(half(std::bit_cast<double>(0xFFF8040000000000u)).bits(), 0xFE01);
}

TEST(bf16, overflows_to_infinity) {
  EXPECT_EQ(bfloat16_t(std::bit_cast<float>(0x7F7F7FFFu)).bits(), 0x7F7F);
  EXPECT_EQ(bfloat16_t(std::bit_cast<float>(0x7F7F8000u)).bits(), 0x7F80);
  EXPECT_EQ(bfloat16_t(-largest_float).bits(), 0xFF80);
  EXPECT_EQ(bfloat16_t(1e300).bits(), 0x7F80);
}

TEST(bf16, nan_is_quiet_and_keeps_sign_and_payload) {
  EXPECT_EQ(bfloat16_t(std::bit_cast<float>(0x7F800001u)).bits(), 0x7FC0);
  EXPECT_EQ(bfloat16_t(std::bit_cast<float>(0xFFC50000u)).bits(), 0xFFC5);
}

TEST(bf16, is_not_half) {
  EXPECT_EQ(float{bfloat16_t(65520.0f)}, 65536.0f);
  EXPECT_EQ(float{bfloat16_t(1.0f + 0x1p-10f)}, 1.0f);
}

// bfloat16_t keeps 8 bits, so half a step at 2^62 is 2^54; a 1 in the lowest bit would be lost in a double.
TEST(bf16, wide_integers_round_once) {
  const std::int64_t tie = (std::int64_t{1} << 62) + (std::int64_t{1} << 54);
  EXPECT_EQ(bfloat16_t(tie).bits(), 0x5E80);
  EXPECT_EQ(bfloat16_t(tie + 1).bits(), 0x5E81);
  EXPECT_EQ(bfloat16_t(tie - 1).bits(), 0x5E80);
  EXPECT_EQ(bfloat16_t(-(tie + 1)).bits(), 0xDE81);
  EXPECT_EQ(bfloat16_t(static_cast<double>(tie + 1)).bits(), 0x5E80);
  const std::uint64_t odd_tie = (std::uint64_t{1} << 63) + (std::uint64_t{3} << 55);
  EXPECT_EQ(bfloat16_t(odd_tie).bits(), 0x5F02);
  EXPECT_EQ(bfloat16_t(odd_tie - 1).bits(), 0x5F01);
  EXPECT_EQ(bfloat16_t(odd_tie + 1).bits(), 0x5F02);
  EXPECT_EQ(bfloat16_t(std::numeric_limits<std::uint64_t>::max()).bits(), 0x5F80);
  EXPECT_EQ(bfloat16_t(std::numeric_limits<std::int64_t>::max()).bits(), 0x5F00);
  EXPECT_EQ(bfloat16_t(std::numeric_limits<std::int64_t>::min()).bits(), 0xDF00);
}

TEST(bf16, integers_beyond_float_round_once) {
  const std::int32_t tie = (1 << 30) + (1 << 22);
  EXPECT_EQ(bfloat16_t(tie).bits(), 0x4E80);
  EXPECT_EQ(bfloat16_t(tie + 1).bits(), 0x4E81);
  EXPECT_EQ(bfloat16_t(static_cast<float>(tie + 1)).bits(), 0x4E80);
}

TEST(bf16, long_double_rounds_once) {
  const long double tie = 1.0L + 0x1p-8L;
  const long double little = 4 * std::numeric_limits<long double>::epsilon();
  EXPECT_EQ(bfloat16_t(tie).bits(), 0x3F80);
  EXPECT_EQ(bfloat16_t(tie + little).bits(), 0x3F81);
  EXPECT_EQ(bfloat16_t(-tie - little).bits(), 0xBF81);
  const long double odd_tie = 1.0L + 0x3p-8L;
  EXPECT_EQ(bfloat16_t(odd_tie).bits(), 0x3F82);
  EXPECT_EQ(bfloat16_t(odd_tie - little).bits(), 0x3F81);
  EXPECT_EQ(bfloat16_t(-odd_tie + little).bits(), 0xBF81);
  EXPECT_TRUE(is_nan(bfloat16_t(std::numeric_limits<long double>::quiet_NaN())));
  EXPECT_EQ(bfloat16_t(std::numeric_limits<long double>::infinity()).bits(), 0x7F80);
  EXPECT_EQ(bfloat16_t(std::numeric_limits<long double>::lowest()).bits(), 0xFF80);
  EXPECT_EQ(bfloat16_t(-std::numeric_limits<long double>::denorm_min()).bits(), 0x8000);
}

TEST(e4m3, saturates_beyond_448) {
  for (const float beyond : {449.0f, 464.0f, 480.0f, 1e9f, largest_float, infinity}) {
    EXPECT_EQ(float{float8_e4m3_t(beyond)}, 448.0f) << beyond;
    EXPECT_EQ(float{float8_e4m3_t(-beyond)}, -448.0f) << beyond;
  }
  EXPECT_EQ(float8_e4m3_t(1e300).bits(), 0x7E);
  EXPECT_EQ(float8_e4m3_t(std::numeric_limits<std::int64_t>::min()).bits(), 0xFE);
}

TEST(e4m3, has_no_infinity_and_one_nan_per_sign) {
  EXPECT_FALSE(std::numeric_limits<float8_e4m3_t>::has_infinity);
  int nans = 0;
  for (unsigned code = 0; code < 256; ++code) {
    const auto value = from_code<float8_e4m3_t>(code);
    EXPECT_FALSE(std::isinf(value)) << code;
    nans += is_nan(value);
  }
  EXPECT_EQ(nans, 2);
  EXPECT_EQ(float8_e4m3_t(std::bit_cast<float>(0x7FC00000u)).bits(), 0x7F);
  EXPECT_EQ(float8_e4m3_t(std::bit_cast<float>(0xFFC00000u)).bits(), 0xFF);
}

TEST(e5m2, saturates_beyond_57344) {
  for (const float beyond : {57345.0f, 61440.0f, 65536.0f, 1e9f, largest_float}) {
    EXPECT_EQ(float{float8_e5m2_t(beyond)}, 57344.0f) << beyond;
    EXPECT_EQ(float{float8_e5m2_t(-beyond)}, -57344.0f) << beyond;
  }
  EXPECT_EQ(float8_e5m2_t(std::numeric_limits<double>::max()).bits(), 0x7B);
}

TEST(e5m2, infinity_stays_infinite) {
  EXPECT_EQ(float8_e5m2_t(infinity).bits(), 0x7C);
  EXPECT_EQ(float8_e5m2_t(-infinity).bits(), 0xFC);
  EXPECT_EQ(float{float8_e5m2_t::from_bits(0xFC)}, -infinity);
}

TEST(hif8, ties_round_away_from_zero) {
  EXPECT_EQ(float{hifloat8_t(1.0625f)}, 1.125f);
  EXPECT_EQ(float{hifloat8_t(-1.0625f)}, -1.125f);
  EXPECT_EQ(float{hifloat8_t(1.1875f)}, 1.25f);
  EXPECT_EQ(float{hifloat8_t(0x1.8p-16f)}, 0x1p-15f);
  EXPECT_EQ(float{hifloat8_t(0x1.8p-20f)}, 0x1p-19f);
}

TEST(hif8, overflows_to_infinity_from_40960) {
  EXPECT_EQ(hifloat8_t(std::nextafter(40960.0f, 0.0f)).bits(), 0x6E);
  EXPECT_EQ(hifloat8_t(std::nextafter(40960.0, 0.0)).bits(), 0x6E);
  EXPECT_EQ(hifloat8_t(40960).bits(), 0x6F);
  EXPECT_EQ(hifloat8_t(-40960).bits(), 0xEF);
  EXPECT_EQ(hifloat8_t(largest_float).bits(), 0x6F);
  EXPECT_EQ(hifloat8_t(std::numeric_limits<double>::max()).bits(), 0x6F);
  EXPECT_EQ(hifloat8_t(-infinity).bits(), 0xEF);
}

TEST(hif8, half_of_the_smallest_rounds_up) {
  EXPECT_EQ(hifloat8_t(0x1p-23f).bits(), 0x01);
  EXPECT_EQ(hifloat8_t(-0x1p-23f).bits(), 0x81);
  EXPECT_EQ(hifloat8_t(std::nextafter(0x1p-23f, 0.0f)).bits(), 0x00);
}

TEST(hif8, has_one_zero_and_one_nan) {
  EXPECT_EQ(hifloat8_t(-0.0f).bits(), 0x00);
  EXPECT_EQ(hifloat8_t(-0x1p-24f).bits(), 0x00);
  EXPECT_EQ(hifloat8_t(-std::numeric_limits<double>::denorm_min()).bits(), 0x00);
  EXPECT_EQ(hifloat8_t(std::bit_cast<float>(0x7FC00000u)).bits(), 0x80);
  EXPECT_EQ(hifloat8_t(std::bit_cast<float>(0xFFC00000u)).bits(), 0x80);
}

TEST(number_tables, missing_or_cut_off_file_is_an_error) {
  EXPECT_THROW(read_file(PTOX_TEST_DATA "/no_such_file.bin"), std::runtime_error);
  const std::string whole = read_file(PTOX_TEST_DATA "/numbers.bin");
  EXPECT_EQ(read_tables(whole).size(), 5u);
  for (const std::size_t size : {std::size_t{0}, std::size_t{10}, whole.size() / 2, whole.size() - 1}) {
    EXPECT_THROW(read_tables(whole.substr(0, size)), std::runtime_error) << size;
  }
  EXPECT_THROW(read_tables(whole + '\0'), std::runtime_error);
}

}  // namespace
