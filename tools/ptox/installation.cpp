// SPDX-License-Identifier: Apache-2.0
#include "installation.hpp"

namespace ptox::tool {

namespace {

namespace fs = std::filesystem;

/// PREFIX of PREFIX/bin/ptox, after resolving symbolic links.
fs::path prefix_of_tool() {
  std::error_code none;
  return fs::read_symlink("/proc/self/exe", none).parent_path().parent_path();
}

bool is_build_tree(const fs::path& prefix) { return fs::exists(prefix / "cmake_install.cmake"); }

fs::path need(const fs::path& place, const fs::path& file, const char* what) {
  std::error_code none;
  if (fs::is_regular_file(file, none)) return place;
  throw MissingPart{std::string(what) + " missing: there is no " + file.string() + ". Build or install ptox again"};
}

}  // namespace

Installation find_installation() {
  const fs::path prefix = prefix_of_tool();
  const bool built = is_build_tree(prefix);
  const fs::path include = built ? fs::path(PTOX_SOURCE_DIR) / "include" : prefix / PTOX_INCLUDE_DIR;
  // NOLINTNEXTLINE(bugprone-branch-clone): the folder of an installation has another name on some systems.
  const fs::path library = prefix / (built ? "lib" : PTOX_LIBRARY_DIR) / "libptox_pto.a";
  return {need(include, include / "pto/pto-inst.hpp", "the headers of ptox are"),
          need(library, library, "the library of ptox is")};
}

fs::path mpi_abi_library() {
  const fs::path prefix = prefix_of_tool();
  return prefix / (is_build_tree(prefix) ? "lib" : PTOX_LIBRARY_DIR) / "libptox_mpi_abi.so";
}

fs::path program_beside(const std::string& name) { return prefix_of_tool() / "bin" / name; }

fs::path bench_folder() {
  const fs::path prefix = prefix_of_tool();
  return is_build_tree(prefix) ? fs::path(PTOX_SOURCE_DIR) / "bench" : prefix / PTOX_DATA_DIR / "ptox/bench";
}

}  // namespace ptox::tool
