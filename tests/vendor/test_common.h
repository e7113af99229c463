// SPDX-License-Identifier: Apache-2.0
// Test data, copies between host and device, and comparisons.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#ifdef __CPU_SIM
#include "pto/common/cpu_stub.hpp"
#else
#include "acl/acl.h"
#endif

// Element i of the data set `seed`: an integer from 1 to 61, which every element type holds.
template <typename T>
T Value(int seed, size_t i) {
  uint32_t x = static_cast<uint32_t>(seed + 1) * 2654435761u + static_cast<uint32_t>(i) * 2246822519u;
  x = (x ^ (x >> 15)) * 3266489917u;
  return static_cast<T>(static_cast<float>((x ^ (x >> 13)) % 61 + 1));
}

template <typename T>
std::vector<T> Values(int seed, size_t count) {
  std::vector<T> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = Value<T>(seed, i);
  return values;
}

template <typename T>
void ToDevice(T* device, const std::vector<T>& host) {
  const size_t bytes = host.size() * sizeof(T);
  ASSERT_EQ(aclrtMemcpy(device, bytes, host.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
}

template <typename T>
std::vector<T> ToHost(const T* device, size_t count) {
  std::vector<T> host(count);
  EXPECT_EQ(aclrtMemcpy(host.data(), count * sizeof(T), device, count * sizeof(T), ACL_MEMCPY_DEVICE_TO_HOST),
            ACL_SUCCESS);
  return host;
}

// Memory of the device with given contents.
template <typename T>
class DeviceArray {
 public:
  explicit DeviceArray(const std::vector<T>& contents) : count_(contents.size()) {
    void* data = nullptr;
    EXPECT_EQ(aclrtMalloc(&data, count_ * sizeof(T), ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    data_ = static_cast<T*>(data);
    ToDevice(data_, contents);
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { aclrtFree(data_); }

  T* data() const { return data_; }
  std::vector<T> host() const { return ToHost(data_, count_); }

 private:
  T* data_ = nullptr;
  size_t count_;
};

// Compares every element bit for bit.
template <typename T>
void ExpectSame(const std::vector<T>& expected, const std::vector<T>& actual, int rank = 0) {
  ASSERT_EQ(expected.size(), actual.size());
  size_t wrong = 0, first = 0;
  for (size_t i = expected.size(); i-- > 0;) {
    if (std::memcmp(&expected[i], &actual[i], sizeof(T)) == 0) continue;
    ++wrong;
    first = i;
  }
  EXPECT_EQ(wrong, 0u) << "rank " << rank << ": first at element " << first << ", expected "
                       << static_cast<double>(expected[first]) << ", is " << static_cast<double>(actual[first]);
}

// One test for each number of ranks. The arguments after NAME are the test class.
#define TEST_ON_RANKS(SUITE, NAME, ...)                 \
  TEST_ON_N_RANKS(SUITE, NAME##_1Rank, 1, __VA_ARGS__)  \
  TEST_ON_N_RANKS(SUITE, NAME##_2Ranks, 2, __VA_ARGS__) \
  TEST_ON_N_RANKS(SUITE, NAME##_3Ranks, 3, __VA_ARGS__) \
  TEST_ON_N_RANKS(SUITE, NAME##_4Ranks, 4, __VA_ARGS__) \
  TEST_ON_N_RANKS(SUITE, NAME##_8Ranks, 8, __VA_ARGS__) \
  static_assert(true, "the macro is followed by a semicolon")

#define TEST_ON_N_RANKS(SUITE, NAME, N, ...) \
  TEST(SUITE, NAME) {                        \
    SKIP_IF_RANKS_LT(N);                     \
    EXPECT_TRUE((RunRanks<__VA_ARGS__>(N))); \
  }
