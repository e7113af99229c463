// SPDX-License-Identifier: Apache-2.0
// A plugin that links the library statically can be loaded by dlopen when the static TLS block of the program is full.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "shell.hpp"

namespace plugin_test {
namespace {

/// Uses BYTES bytes of the spare space in the static TLS block that the dynamic loader keeps for libraries loaded
/// later. The function that accesses the variable makes the compiler emit the relocation for it.
const char* const filler = R"(
[[gnu::tls_model("initial-exec")]] thread_local char filler[BYTES] = {1};
extern "C" char* begin_of_filler() { return filler; }
)";

const char* const plugin = R"(
#include "pto/pto-inst.hpp"
#include "ptox/ptox.hpp"
/// The sum of rows 3 and 1 of a table, by a kernel and by a call on whole tensors: 2 * (3 + 1) * 8.
extern "C" int sum_of_rows() {
  using namespace pto;
  using Table = GlobalTensor<float, Shape<1, 1, 1, 4, 8>, Stride<32, 32, 32, 8, 1>>;
  using Indices = GlobalTensor<std::int32_t, Shape<1, 1, 1, 1, 8>, Stride<8, 8, 8, 8, 1>>;
  ptox::Device device(ptox::target::cpu);
  auto table = device.alloc<float>(32), out = device.alloc<float>(64);
  auto idx = device.alloc<std::int32_t>(8);
  for (int i = 0; i < 32; ++i) table[i] = static_cast<float>(i / 8);
  idx[0] = 3, idx[1] = 1;
  const auto report = device.launch({.blocks = 2}, [&] {
    if (get_block_idx() != 0) return;
    Tile<TileType::Vec, float, 8, 8> rows;
    Tile<TileType::Vec, std::int32_t, 1, 8> index;
    Table from(table.data());
    Indices these(idx.data());
    GlobalTensor<float, Shape<1, 1, 1, 8, 8>, Stride<64, 64, 64, 8, 1>> to(out.data());
    TLOAD(index, these);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0), wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    MGATHER<Coalesce::Row>(rows, from, index);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0), wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    TSTORE(to, rows);
  });
  if (!report.clean()) return -1;
  float sum = 0, again[16];
  for (int i = 0; i < 16; ++i) sum += out[i];
  ptox::gather_rows(ptox::Rows<const float>{table.data(), 4, 8}, std::span(idx.data(), 2), ptox::Rows<float>{again, 2, 8});
  for (float x : again) sum += x;
  return static_cast<int>(sum);
}
)";

/// Loads copies of the filler libraries until the static TLS block is full, then loads the plugin.
const char* const program = R"(
#include <dlfcn.h>
#include <cstdio>
#include <filesystem>
#include <string>
static int fill(const std::string& size) {
  for (int n = 0; n < 4096; ++n) {
    const std::string copy = "./filler" + size + "_" + std::to_string(n) + ".so";
    std::filesystem::copy_file("filler" + size + ".so", copy);
    if (!dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL)) return n;
  }
  return -1;
}
int main() {
  const int large = fill("512"), small = fill("16");
  if (large < 0 || small < 0) return std::puts("static TLS is never full here"), 2;
  void* plugin = dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL);
  if (!plugin) return std::puts(dlerror()), 1;
  std::printf("%d\n", reinterpret_cast<int (*)()>(dlsym(plugin, "sum_of_rows"))());
}
)";

TEST(plugin, a_static_library_in_a_plugin_needs_no_static_tls) {
  const ptox::Folder folder;
  const auto write = [&](const char* name, const char* text) { std::ofstream(folder.path / name) << text; };
  write("filler.cpp", filler), write("plugin.cpp", plugin), write("program.cpp", program);
  const std::string in_folder = "cd '" + folder.path.string() + "' && ",
                    compiler = PTOX_CXX " -std=c++20 -O1 " PTOX_FLAGS " ",
                    library = " -I" PTOX_SOURCE_DIR "/include plugin.cpp " PTOX_LIBRARY " -pthread";
  for (const std::string& command :
       {compiler + "-fPIC -shared -DBYTES=512 filler.cpp -o filler512.so",
        compiler + "-fPIC -shared -DBYTES=16 filler.cpp -o filler16.so",
        compiler + "-fPIC -shared" + library + " -o plugin.so",
        // The program loads the plugin's dependencies at its start, so that only the plugin itself is loaded late.
        compiler + "program.cpp -Wl,--no-as-needed -lm -lpthread -ldl -o program"}) {
    const ptox::Ended built = ptox::shell(in_folder + command);
    ASSERT_EQ(built.code, 0) << command << "\n" << built.output;
  }
  const ptox::Ended ran = ptox::shell(in_folder + "./program");
  EXPECT_EQ(ran.output, "64\n");
  EXPECT_EQ(ran.code, 0);
}

}  // namespace
}  // namespace plugin_test
