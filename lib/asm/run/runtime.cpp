// SPDX-License-Identifier: Apache-2.0
#include "asm/run/runtime.hpp"

#include <csetjmp>
#include <utility>

namespace ptox::assembly {

namespace {

struct Current {
  const Program* program = nullptr;
  BlockState* block = nullptr;
  std::jmp_buf* out = nullptr;  ///< jump target that ends the block
};
thread_local Current current;

std::int64_t enter(std::int64_t call, std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d, std::int64_t e,
                   std::int64_t f, std::int64_t g, std::int64_t h, std::int64_t i, std::int64_t j, std::int64_t k,
                   std::int64_t l) {
  const std::int64_t values[most_values] = {a, b, c, d, e, f, g, h, i, j, k, l};
  try {
    return current.program->calls[static_cast<std::size_t>(call)]->run(*current.block, values);
  } catch (...) {
    current.block->thrown = std::current_exception();
  }
  std::longjmp(*current.out, 1);  // compiled code has nothing to clean up
}

/// Has no local variables with destructors, which longjmp would skip.
void call(void (*main)(), std::jmp_buf& out) {
  if (setjmp(out) == 0) main();
}

}  // namespace

Entry runtime_entry() { return enter; }

void Program::run(void (*main)(), BlockState& block) const {
  block.tiles.assign(static_cast<std::size_t>(tiles), {});
  block.views.assign(static_cast<std::size_t>(views), {});
  block.groups.assign(static_cast<std::size_t>(groups), {});
  std::jmp_buf out;
  const Current before = std::exchange(current, {this, &block, &out});
  call(main, out);
  current = before;
  if (block.thrown) std::rethrow_exception(block.thrown);
}

}  // namespace ptox::assembly
