// SPDX-License-Identifier: Apache-2.0
// Tests of MSCATTER: table[idx[r], :] = src[r, :] and table[idx[r, c]] = src[r, c], and with Add, Max and Min.
#include <gtest/gtest.h>

#include "cases.hpp"
#include "test_common.h"

enum class Coalesce { Row, Elem };
enum class ScatterAtomicOp { None, Add, Max, Min };
enum class ScatterOOB { Undefined, Skip, Clamp, Wrap };

// Holds integers up to 256 exactly.
struct HostBf16 {
  uint16_t bits = 0;
  HostBf16() = default;
  explicit HostBf16(float value) {
    uint32_t wide;
    std::memcpy(&wide, &value, sizeof(wide));
    bits = static_cast<uint16_t>(wide >> 16);
  }
  explicit operator float() const {
    const uint32_t wide = static_cast<uint32_t>(bits) << 16;
    float value;
    std::memcpy(&value, &wide, sizeof(value));
    return value;
  }
  explicit operator double() const { return static_cast<float>(*this); }
};

// Without an atomic operation every place is written at most once, else twice. The last slot is the one of Clamp.
template <typename TIdx>
std::vector<TIdx> Indices(size_t count, uint64_t capacity, ScatterAtomicOp atomic, ScatterOOB oob) {
  std::vector<TIdx> indices(count);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t place = atomic == ScatterAtomicOp::None ? i : i / 2;
    indices[i] = static_cast<TIdx>((capacity - 2 - place) % (capacity - 1));
    if (oob == ScatterOOB::Skip && i % 3 == 2) indices[i] = static_cast<TIdx>(capacity + i);
    if (oob == ScatterOOB::Wrap && i % 3 == 2) indices[i] += static_cast<TIdx>(capacity);
    if (oob == ScatterOOB::Clamp && i == 5) indices[i] = static_cast<TIdx>(capacity + 3);
  }
  return indices;
}

template <typename T>
T Combined(ScatterAtomicOp atomic, T before, T value) {
  const float x = static_cast<float>(before), y = static_cast<float>(value);
  if (atomic == ScatterAtomicOp::None) return value;
  if (atomic == ScatterAtomicOp::Max) return x < y ? value : before;
  if (atomic == ScatterAtomicOp::Min) return y < x ? value : before;
  if constexpr (std::is_integral_v<T>) return static_cast<T>(before + value);
  return static_cast<T>(x + y);
}

template <typename T, typename TIdx>
void RunTest(void (*launch)(uint8_t*, uint8_t*, uint8_t*, void*), Coalesce mode, ScatterAtomicOp atomic, ScatterOOB oob,
             size_t rows, size_t cols, size_t tableRows) {
  const bool byRow = mode == Coalesce::Row;
  const uint64_t capacity = byRow ? tableRows : tableRows * cols;
  const auto src = Values<T>(1, rows * cols);
  const auto indices = Indices<TIdx>(byRow ? rows : rows * cols, capacity, atomic, oob);
  auto expected = Values<T>(2, tableRows * cols);

  aclrtStream stream = nullptr;
  ASSERT_EQ(aclInit(nullptr), ACL_SUCCESS);
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  {
    DeviceArray<T> tableDevice(expected), srcDevice(src);
    DeviceArray<TIdx> indexDevice(indices);
    launch(reinterpret_cast<uint8_t*>(tableDevice.data()), reinterpret_cast<uint8_t*>(srcDevice.data()),
           reinterpret_cast<uint8_t*>(indexDevice.data()), stream);
    ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    for (size_t i = 0; i < rows * cols; ++i) {
      uint64_t at = indices[byRow ? i / cols : i];
      if (oob == ScatterOOB::Skip && at >= capacity) continue;
      if (oob == ScatterOOB::Clamp && at >= capacity) at = capacity - 1;
      if (oob == ScatterOOB::Wrap) at %= capacity;
      T& slot = expected[byRow ? at * cols + i % cols : at];
      slot = Combined(atomic, slot, src[i]);
    }
    ExpectSame(expected, tableDevice.host());
  }
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
}

#define CASE(NAME, T, HOST, TIDX, MODE, ATOMIC, OOB, ...)                                                              \
  void LaunchMSCATTER_##NAME(uint8_t* table, uint8_t* src, uint8_t* idx, void* stream);                                \
  TEST(MSCATTER, NAME) {                                                                                               \
    RunTest<HOST, TIDX>(LaunchMSCATTER_##NAME, Coalesce::MODE, ScatterAtomicOp::ATOMIC, ScatterOOB::OOB, __VA_ARGS__); \
  }

MSCATTER_CASES(CASE)
#ifndef REGISTER_BASE
MSCATTER_A2A3_CASES(CASE)
#endif
#ifndef MEMORY_BASE
MSCATTER_A5_CASES(CASE)
#endif
#if !defined(MEMORY_BASE) && !defined(REGISTER_BASE)
MSCATTER_CPU_CASES(CASE)
#endif

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
