// SPDX-License-Identifier: Apache-2.0
// Every header path that the documents name exists and declares the instructions.
#include <acl/acl.h>
#include <acl/acl_base_rt.h>
#include <acl/error_codes/rt_error_codes.h>
#include <gtest/gtest.h>

#include <fstream>
#include <pto/comm/async/sdma/sdma_types.hpp>
#include <pto/comm/async/sdma/sdma_workspace_manager.hpp>
#include <pto/comm/async/urma/urma_workspace_manager.hpp>
#include <pto/comm/async_common/async_types.hpp>
#include <pto/comm/comm_types.hpp>
#include <pto/comm/pto_comm_inst.hpp>
#include <pto/common/constants.hpp>
#include <pto/common/cpu_stub.hpp>
#include <pto/common/event.hpp>
#include <pto/common/pto_instr.hpp>
#include <pto/common/pto_tile.hpp>
#include <pto/common/type.hpp>
#include <pto/cpu/MGatherScatter.hpp>
#include <pto/npu/a2a3/MGather.hpp>
#include <pto/npu/a2a3/MScatter.hpp>
#include <pto/npu/a5/MGather.hpp>
#include <pto/npu/a5/MScatter.hpp>
#include <pto/npu/a5/custom/MScatter.hpp>
#include <pto/pto-inst.hpp>
#include <string>

#if !__has_include(<pto/pto-inst.hpp>) || !__has_include(<pto/comm/pto_comm_inst.hpp>) || !__has_include(<acl/acl.h>)
#error "a documented header is missing"
#endif

namespace {

using namespace pto;
using namespace pto::instr;

using IncludedTile = Tile<TileType::Vec, float, 8, 8>;
using IncludedTensor = GlobalTensor<float, Shape<1, 1, 1, 8, 8>, Stride<1, 1, 1, 8, 1>>;
static_assert(sizeof(comm::ParallelGroup<IncludedTensor>) > 0 && sizeof(IncludedTile) > 0);
static_assert(static_cast<int>(comm::CollEngine::CCU) == 1 && static_cast<int>(comm::DmaEngine::RDMA) == 2);
static_assert(comm::sdma::UB_ALIGN_SIZE == 256 && comm::sdma::SdmaBaseConfig{}.queue_num == 1);
static_assert(ACL_MEMCPY_HOST_TO_DEVICE == 0);

TEST(includes, asynchronous_transfers_have_types_and_no_workspace) {
  comm::sdma::SdmaWorkspaceManager sdma;
  comm::urma::UrmaWorkspaceManager urma;
  EXPECT_FALSE(sdma.Init());
  EXPECT_EQ(sdma.GetWorkspaceAddr(), nullptr);
  EXPECT_FALSE(urma.Init(nullptr, 0, 2, nullptr, 0));
  const comm::AsyncEvent none;
  EXPECT_FALSE(none.valid());
  EXPECT_TRUE(none.Wait(comm::AsyncSession{}));
}

TEST(includes, all_but_the_umbrella_forward_in_one_line) {
  for (const std::string path :
       {"comm/pto_comm_inst", "common/pto_instr", "common/pto_tile", "common/type", "common/constants",
        "common/cpu_stub", "common/event", "npu/a2a3/MGather", "npu/a2a3/MScatter", "npu/a5/MGather", "npu/a5/MScatter",
        "npu/a5/custom/MScatter", "cpu/MGatherScatter", "comm/async/sdma/sdma_types",
        "comm/async/sdma/sdma_workspace_manager", "comm/async/urma/urma_workspace_manager"}) {
    std::ifstream file(std::string(PTOX_SOURCE_DIR) + "/include/pto/" + path + ".hpp");
    ASSERT_TRUE(file) << path;
    int code_lines = 0;
    for (std::string line; std::getline(file, line);)
      code_lines += !line.empty() && line.rfind("//", 0) != 0 && line != "#pragma once";
    EXPECT_EQ(code_lines, 1) << path;
  }
}

}  // namespace
