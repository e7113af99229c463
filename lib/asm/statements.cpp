// SPDX-License-Identifier: Apache-2.0
// What do the bare statements of the manuals say?
#include "asm/module.hpp"

namespace ptox::assembly {

std::unique_ptr<Module> read_statements(std::string_view, const std::string& file, Diagnostics& out) {
  out.error("the AS form is not read yet", {file, 1, 1});
  return nullptr;
}

}  // namespace ptox::assembly
