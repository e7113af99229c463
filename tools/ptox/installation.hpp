// SPDX-License-Identifier: Apache-2.0
// Finds the headers, the library and the programs that belong to this tool.
#pragma once

#include <filesystem>
#include <string>

namespace ptox::tool {

struct Installation {
  std::filesystem::path include, library;
};

/// Beside the tool, in a prefix or in a build tree; nothing is looked for anywhere else. Throws MissingPart.
Installation find_installation();

/// A program in the folder of this tool; it may not be there.
std::filesystem::path program_beside(const std::string& name);

/// Where the files lie that `ptox bench` reads while it runs; nothing may be there.
std::filesystem::path bench_folder();

/// Says which part of the installation is not where it belongs.
struct MissingPart {
  std::string sentence;
};

}  // namespace ptox::tool
