// SPDX-License-Identifier: Apache-2.0
// Finds headers with launches among the files that a source includes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ptox::tool {

/// Whether a file that `source` includes, directly or not, launches a kernel by <<<>>>, or one of the `forced` files
/// (those of -include) does. Every #include line counts, also one that a condition excludes. Quoted names are searched
/// in the folder of the including file and in `folders`, others in `folders` only; what is found in neither is not
/// read.
bool included_files_launch(const std::filesystem::path& source, const std::vector<std::string>& folders,
                           const std::vector<std::string>& forced);

struct SourceLine {
  std::string file;
  int line;
};

/// The place from which line `line` of a preprocessed text came, according to the line markers (`# 12 "file"`) above
/// it.
SourceLine origin_of(const std::string& preprocessed, int line);

}  // namespace ptox::tool
