// SPDX-License-Identifier: Apache-2.0
// A main that compares the kernel's output; its argument selects an error.
#include <acl/acl.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "wide_gather.hpp"

namespace {

template <class T>
T* on_device(const std::vector<T>& values) {
  void* data = nullptr;
  aclrtMalloc(&data, values.size() * sizeof(T), ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMemcpy(data, values.size() * sizeof(T), values.data(), values.size() * sizeof(T), ACL_MEMCPY_HOST_TO_DEVICE);
  return static_cast<T*>(data);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  if (how == "no_kernel") return 0;
  aclrtStream stream = nullptr;
  aclInit(nullptr);
  aclrtSetDevice(0);
  aclrtCreateStream(&stream);
  std::vector<float> table(kTable), out(static_cast<std::size_t>(kBlocks) * kRows * kCols);
  std::vector<int32_t> indices(out.size());
  for (int i = 0; i < kTable; ++i) table[static_cast<std::size_t>(i)] = static_cast<float>(i) + 0.5f;
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<int32_t>(i * 7 % kTable);
  if (how == "oob") indices[3] = kTable + 23;

  float *table_gm = on_device(table), *out_gm = on_device(out);
  int32_t* indices_gm = on_device(indices);
  if (how == "narrow")
    launch_narrow(out_gm, table_gm, indices_gm, stream);
  else
    launch_wide(out_gm, table_gm, indices_gm, how != "undeclared", stream);
  aclrtSynchronizeStream(stream);
  aclrtMemcpy(out.data(), out.size() * sizeof(float), out_gm, out.size() * sizeof(float), ACL_MEMCPY_DEVICE_TO_HOST);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < (how == "narrow" ? 64 : out.size()); ++i)
    wrong += out[i] != static_cast<float>(i * 7 % kTable) + 0.5f;
  std::printf("%zu wrong\n", wrong);
  std::fflush(stdout);
  aclrtFree(table_gm);
  aclrtFree(out_gm);
  aclrtFree(indices_gm);
  aclrtDestroyStream(stream);
  aclFinalize();
  if (how == "abort") std::abort();
  return how == "fail" ? 7 : 0;
}
