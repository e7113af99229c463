// SPDX-License-Identifier: Apache-2.0
// The aclrt functions work on the host in the way that the main functions of kernel tests use them.
#include <acl/acl.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "pto/pto-inst.hpp"
#include "ptox/ptox.hpp"

namespace {

using namespace pto;
using namespace pto::instr;

static_assert(ACL_MEMCPY_HOST_TO_DEVICE == 0 && ACL_MEMCPY_DEVICE_TO_HOST == 1 && ACL_MEMCPY_DEVICE_TO_DEVICE == 2);

/// Device memory of `bytes` bytes, freed by the destructor.
struct Allocation {
  void* data = nullptr;
  explicit Allocation(std::size_t bytes) { EXPECT_EQ(aclrtMalloc(&data, bytes, ACL_MEM_MALLOC_HUGE_FIRST), 0); }
  ~Allocation() { EXPECT_EQ(aclrtFree(data), 0); }
};

TEST(acl, the_life_of_a_test_main_succeeds) {
  aclrtStream stream = nullptr;
  void* host = nullptr;
  EXPECT_EQ(aclInit(nullptr), 0);
  EXPECT_EQ(aclrtSetDevice(0), 0);
  EXPECT_EQ(aclrtCreateStream(&stream), 0);
  EXPECT_NE(stream, nullptr);
  EXPECT_EQ(aclrtMallocHost(&host, 64), 0);
  EXPECT_NE(host, nullptr);
  EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
  EXPECT_EQ(aclrtFreeHost(host), 0);
  EXPECT_EQ(aclrtDestroyStream(stream), 0);
  EXPECT_EQ(aclrtResetDevice(0), 0);
  EXPECT_EQ(aclFinalize(), 0);
}

TEST(acl, a_handle_is_destroyed_once) {
  aclrtStream stream = nullptr;
  aclrtEvent event = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stream), 0);
  ASSERT_EQ(aclrtCreateEvent(&event), 0);
  EXPECT_EQ(aclrtDestroyStream(stream), 0);
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtDestroyEvent(event), 0);
  EXPECT_EQ(aclrtDestroyEvent(event), ACL_ERROR_INVALID_PARAM);
  float ms = 0;
  EXPECT_EQ(aclrtRecordEvent(event, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtEventElapsedTime(&ms, event, event), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtSynchronizeEvent(event), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtDestroyStream(nullptr), 0);
}

TEST(acl, device_memory_is_zeroed) {
  for (std::size_t bytes : {std::size_t{1}, std::size_t{4096}, std::size_t{3} << 20}) {
    Allocation a(bytes);
    const auto* p = static_cast<const unsigned char*>(a.data);
    for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(p[i], 0) << i << " of " << bytes;
  }
}

TEST(acl, memcpy_copies_in_every_direction) {
  Allocation a(16), b(16);
  const std::vector<std::int32_t> in{1, -2, 3, -4};
  std::vector<std::int32_t> out(4);
  EXPECT_EQ(aclrtMemcpy(a.data, 16, in.data(), 16, ACL_MEMCPY_HOST_TO_DEVICE), 0);
  EXPECT_EQ(aclrtMemcpy(b.data, 16, a.data, 16, ACL_MEMCPY_DEVICE_TO_DEVICE), 0);
  EXPECT_EQ(aclrtMemcpy(out.data(), 16, b.data, 16, ACL_MEMCPY_DEVICE_TO_HOST), 0);
  EXPECT_EQ(out, in);
}

TEST(acl, memcpy_and_memset_past_the_room_fail_and_write_nothing) {
  Allocation a(16);
  const std::vector<unsigned char> in(32, 7);
  EXPECT_NE(aclrtMemcpy(a.data, 16, in.data(), 17, ACL_MEMCPY_HOST_TO_DEVICE), 0);
  EXPECT_NE(aclrtMemset(a.data, 16, 9, 17), 0);
  EXPECT_NE(aclrtMemcpy(nullptr, 16, in.data(), 16, ACL_MEMCPY_HOST_TO_DEVICE), 0);
  EXPECT_NE(aclrtMemcpy(a.data, 16, nullptr, 16, ACL_MEMCPY_HOST_TO_DEVICE), 0);
  for (int i = 0; i < 16; ++i) EXPECT_EQ(static_cast<unsigned char*>(a.data)[i], 0);
  EXPECT_EQ(aclrtMemcpy(a.data, 16, in.data(), 0, ACL_MEMCPY_HOST_TO_DEVICE), 0);
}

TEST(acl, memset_sets_bytes) {
  Allocation a(16);
  EXPECT_EQ(aclrtMemset(a.data, 16, 0xA7, 9), 0);
  for (int i = 0; i < 16; ++i) EXPECT_EQ(static_cast<unsigned char*>(a.data)[i], i < 9 ? 0xA7 : 0);
}

TEST(acl, what_the_host_cannot_give_is_an_error_code) {
  void* p = &p;
  EXPECT_NE(aclrtMalloc(&p, std::numeric_limits<std::size_t>::max(), ACL_MEM_MALLOC_HUGE_FIRST), 0);
  EXPECT_NE(aclrtMalloc(&p, std::size_t{1} << 62, ACL_MEM_MALLOC_HUGE_FIRST), 0);
  EXPECT_NE(aclrtMalloc(nullptr, 16, ACL_MEM_MALLOC_HUGE_FIRST), 0);
  EXPECT_NE(aclrtCreateStream(nullptr), 0);
  EXPECT_EQ(aclrtFree(nullptr), 0);
}

TEST(acl, half_converts_to_float) {
  EXPECT_EQ(aclFloat16ToFloat(static_cast<aclFloat16>(1.5f)), 1.5f);
  EXPECT_EQ(aclFloat16ToFloat(static_cast<half>(-65504.0f)), -65504.0f);
}

/// Loads 8 floats that start `skip` elements into an allocation of 8 floats.
ptox::Report load_from(const ptox::Target& t, float* base, std::int64_t skip) {
  ptox::Device dev(t, {.check = ptox::Check::all});
  return dev.launch({}, [=] {
    Tile<TileType::Vec, float, 1, 8> tile;
    GlobalTensor<float, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 8, 1>> from(base + skip);
    TLOAD(tile, from);
  });
}

TEST(acl, the_checker_knows_the_extent_of_an_allocation) {
  for (const ptox::Target* t : ptox::target::on_host) {
    Allocation a(32);
    auto* base = static_cast<float*>(a.data);
    EXPECT_TRUE(load_from(*t, base, 0).clean()) << t->name;
    const ptox::Report r = load_from(*t, base, 1);
    ASSERT_TRUE(r.has(ptox::FindingKind::oob_gm)) << r;
    EXPECT_NE(r.findings()[0].message.find("src"), std::string::npos) << r;
    EXPECT_NE(r.findings()[0].message.find("32"), std::string::npos) << r;
    EXPECT_NE(r.findings()[0].message.find("35"), std::string::npos) << r;
  }
}

TEST(acl, a_store_past_an_allocation_writes_nothing) {
  for (const ptox::Target* t : ptox::target::on_host) {
    Allocation a(32);
    auto* base = static_cast<float*>(a.data);
    ptox::Device dev(*t, {.check = ptox::Check::all});
    const ptox::Report r = dev.launch({}, [=] {
      Tile<TileType::Vec, float, 2, 8> tile;
      GlobalTensor<float, Shape<1, 1, 1, 2, 8>, Stride<1, 1, 1, 8, 1>> to(base);
      TEXPANDS(tile, 1.0f);
      pipe_barrier(PIPE_ALL);
      TSTORE(to, tile);
    });
    EXPECT_TRUE(r.has(ptox::FindingKind::oob_gm)) << r;
    for (int i = 0; i < 8; ++i) EXPECT_EQ(base[i], 0.0f);
  }
}

TEST(acl, freed_memory_is_forgotten) {
  float* base = nullptr;
  {
    Allocation a(32);
    base = static_cast<float*>(a.data);
  }
  std::vector<float> own(16);
  ptox::Device dev(ptox::target::cpu, {.check = ptox::Check::all});
  EXPECT_NE(base, nullptr);
  EXPECT_TRUE(load_from(ptox::target::cpu, own.data(), 8).clean()) << "memory that nobody announced is not judged";
}

}  // namespace
