// SPDX-License-Identifier: Apache-2.0
#include "observe/bounds.hpp"

#include <optional>
#include <utility>

#include "engine/core/rank.hpp"

namespace ptox {

void BoundsWatch::see(const pto::instr::Effect& e) {
  for (std::size_t i = 0; i < count_; ++i) {
    const Known& known = tensors_[i];
    if (known.name != e.operand || !known.extent || e.range.bytes == 0) continue;
    const auto [first, end] = pto::instr::reached(e.range, known.extent->begin);
    if (first >= 0 && end <= static_cast<std::int64_t>(known.extent->bytes)) return;
    if (outside_++ == 0)
      operand_ = e.operand, first_byte_ = first, last_byte_ = end - 1, allocated_ = known.extent->bytes,
      begin_ = known.extent->begin;
    return;
  }
}

void BoundsWatch::count(const char* operand, std::int64_t first_byte, std::int64_t last_byte, std::size_t allocated,
                        std::int64_t times) {
  operand_ = operand, first_byte_ = first_byte, last_byte_ = last_byte, allocated_ = allocated, outside_ = times;
}

namespace {

/// The rank in whose symmetric memory the allocation is, if it is in any.
std::optional<int> owner_of(std::uintptr_t begin) {
  const RankView* rank = begin ? current_rank() : nullptr;
  const auto place = rank ? rank->locate(reinterpret_cast<const void*>(begin)) : std::nullopt;
  return place ? std::optional(place->rank) : std::nullopt;
}

}  // namespace

bool BoundsWatch::report(Core& core, const char* mnemonic, pto::instr::Site site) const {
  if (!outside_) return true;
  const std::optional<int> rank = owner_of(begin_);
  Where where{{FindingField::instruction, mnemonic},
              {FindingField::operand, operand_},
              {FindingField::first_byte, first_byte_},
              {FindingField::last_byte, last_byte_},
              {FindingField::allocated_bytes, allocated_}};
  if (rank) where.emplace_back(FindingField::other_rank, *rank);
  core.report({.kind = FindingKind::oob_gm,
               .message = std::string(mnemonic) + " touches bytes " + std::to_string(first_byte_) + " to " +
                          std::to_string(last_byte_) + " of the allocation" +
                          (rank ? " at rank " + std::to_string(*rank) : "") + " that holds " + operand_ +
                          ", which has " + std::to_string(allocated_) +
                          " bytes. Allocate what the tensor's shape says, or give it the shape that is there; the "
                          "instruction does nothing",
               .where = std::move(where),
               .cause = operand_,
               .count = outside_},
              site);
  return false;
}

}  // namespace ptox
