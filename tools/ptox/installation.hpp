// SPDX-License-Identifier: Apache-2.0
// Finds the headers, the library and the programs that belong to this tool.
#pragma once

#include <filesystem>
#include <string>

namespace ptox::tool {

struct Installation {
  std::filesystem::path include, library;
};

/// Searches only relative to the tool, in an installation prefix or in a build tree. Throws MissingPart.
Installation find_installation();

/// The MPI library that `ptox check --ranks` gives to programs. The file may be missing.
std::filesystem::path mpi_abi_library();

/// The path of a program in the folder of this tool. The program may be missing.
std::filesystem::path program_beside(const std::string& name);

/// The folder of the files that `ptox bench` reads while it runs. It may be missing.
std::filesystem::path bench_folder();

/// Thrown if a part of the installation is missing; names the part.
struct MissingPart {
  std::string sentence;
};

}  // namespace ptox::tool
