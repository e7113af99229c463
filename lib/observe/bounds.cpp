// SPDX-License-Identifier: Apache-2.0
#include "observe/bounds.hpp"

#include <algorithm>

namespace ptox {

void BoundsWatch::see(const pto::instr::Effect& e) {
  for (std::size_t i = 0; i < count_; ++i) {
    const Known& known = tensors_[i];
    if (known.name != e.operand || !known.extent || e.range.bytes == 0) continue;
    const auto base = static_cast<std::int64_t>(known.extent->begin);
    const std::int64_t begin = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(e.range.begin)) - base;
    const std::int64_t far = begin + e.range.step * (e.range.count - 1);
    const std::int64_t low = std::min(begin, far), high = std::max(begin, far) + e.range.bytes;
    if (low >= 0 && high <= static_cast<std::int64_t>(known.extent->bytes)) return;
    if (outside_++ == 0)
      operand_ = e.operand, first_byte_ = low, last_byte_ = high - 1, allocated_ = known.extent->bytes;
    return;
  }
}

bool BoundsWatch::report(Core& core, const char* mnemonic, pto::instr::Site site) const {
  if (!outside_) return true;
  core.report("oob-gm", Severity::error,
              std::string(mnemonic) + " touches bytes " + std::to_string(first_byte_) + " to " +
                  std::to_string(last_byte_) + " of the allocation that holds " + operand_ + ", which has " +
                  std::to_string(allocated_) +
                  " bytes. Allocate what the tensor's shape says, or give it the shape that is there; the instruction "
                  "does nothing",
              site, operand_, outside_, {},
              {{"instruction", mnemonic},
               {"operand", operand_},
               {"first_byte", std::to_string(first_byte_)},
               {"last_byte", std::to_string(last_byte_)},
               {"allocated_bytes", std::to_string(allocated_)}});
  return false;
}

}  // namespace ptox
