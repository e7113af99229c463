// SPDX-License-Identifier: Apache-2.0
#include "asm/runtime.hpp"

namespace ptox::assembly {

namespace {

struct Current {
  const Program* program = nullptr;
  BlockState* block = nullptr;
};
thread_local Current current;

std::int64_t enter(std::int64_t call, std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d, std::int64_t e,
                   std::int64_t f, std::int64_t g, std::int64_t h, std::int64_t i, std::int64_t j, std::int64_t k,
                   std::int64_t l) {
  const std::int64_t values[most_values] = {a, b, c, d, e, f, g, h, i, j, k, l};
  return current.program->calls[static_cast<std::size_t>(call)]->run(*current.block, values);
}

}  // namespace

Entry runtime_entry() { return enter; }

void Program::run(void (*main)(), BlockState& block) const {
  block.tiles.assign(static_cast<std::size_t>(tiles), {});
  block.views.assign(static_cast<std::size_t>(views), {});
  const Current before = current;
  current = {this, &block};
  main();
  current = before;
}

}  // namespace ptox::assembly
