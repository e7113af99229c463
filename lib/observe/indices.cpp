// SPDX-License-Identifier: Apache-2.0
#include "observe/indices.hpp"

#include <algorithm>

namespace ptox {

namespace {
constexpr std::int64_t two_32 = std::int64_t{1} << 32;
}  // namespace

void IndexWatch::Offenders::add(const Seen& s) {
  if (count++ == 0) first = s, high = s.value;
  high = std::max(high, s.value);
}

IndexWatch::Seen IndexWatch::seen(std::uint32_t value, std::int64_t r, std::int64_t c, std::int64_t order) const {
  return {pto::instr::remap(value, lookup_.capacity, lookup_.policy).at, value, r, c, order};
}

void IndexWatch::see(std::uint32_t value, std::int64_t r, std::int64_t c) {
  const Seen index = seen(value, r, c, order_++);
  if (lookup_.is_signed && static_cast<std::int32_t>(value) < 0) negative_.add(index);
  const bool defined = lookup_.policy != pto::instr::OutOfRange::undefined;
  const bool outside =
      lookup_.capacity <= 0 ? lookup_.policy != pto::instr::OutOfRange::drop : value >= lookup_.capacity && !defined;
  if (outside)
    outside_.add(index);
  else if (value % lookup_.multiple != 0)
    misaligned_.add(index);
  if (index.slot >= 0 && index.slot * lookup_.factor >= two_32) wrapped_.add(index);
  if (lookup_.writes_once && index.slot >= 0) written_.push_back(index);
}

void IndexWatch::count(Fault fault, std::uint32_t value, std::int64_t r, std::int64_t c, std::int64_t times,
                       std::uint32_t high) {
  Offenders& offenders = fault == Fault::outside ? outside_ : fault == Fault::misaligned ? misaligned_ : negative_;
  offenders = {.count = times, .first = {pto::instr::Slot::none, value, r, c, 0}, .high = high};
}

void IndexWatch::count_alias(const Index& first, const Index& second, std::int64_t times) {
  alias_ = {times, seen(first.value, first.r, first.c, 0), seen(second.value, second.r, second.c, 1)};
}

std::int64_t IndexWatch::given(std::uint32_t value) const {
  return lookup_.is_signed ? std::int64_t{static_cast<std::int32_t>(value)} : std::int64_t{value};
}

std::string IndexWatch::position(const Seen& s) const {
  return std::string(lookup_.index) + "[" + std::to_string(s.r) + "," + std::to_string(s.c) +
         "] = " + std::to_string(given(s.value));
}

Where IndexWatch::where(const Seen& s) const {
  return {{FindingField::instruction, mnemonic_},
          {FindingField::operand, lookup_.index},
          {FindingField::row, s.r},
          {FindingField::col, s.c},
          {FindingField::value, given(s.value)},
          {FindingField::capacity, lookup_.capacity}};
}

Where IndexWatch::where(const Offenders& offenders) const {
  Where values = where(offenders.first);
  values.emplace_back(FindingField::high, offenders.high);
  return values;
}

void IndexWatch::report(Core& core, pto::instr::Site site) {
  report_range(core, site);
  report_negative(core, site);
  if (!core.target().native && !core.target().accelerator) report_wrap(core, site);
  find_alias();
  report_alias(core, site);
}

void IndexWatch::report_wrap(Core& core, pto::instr::Site site) const {
  const std::string machine = core.target().name;
  if (lookup_.capacity >= two_32)
    core.report({.kind = FindingKind::address_wrap,
                 .message = std::string(mnemonic_) + ": " + lookup_.has + " " + std::to_string(lookup_.capacity) + " " +
                            lookup_.slots + ", " + machine + " counts them in 32 bits. Use a smaller table, or several",
                 .where = {{FindingField::instruction, mnemonic_},
                           {FindingField::operand, "table"},
                           {FindingField::capacity, lookup_.capacity}},
                 .cause = "capacity"},
                site);
  else if (wrapped_.count) {
    Where values = where(wrapped_.first);
    values.emplace_back(FindingField::slot, wrapped_.first.slot);
    core.report({.kind = FindingKind::address_wrap,
                 .message = std::string(mnemonic_) + " " + lookup_.does + " " + std::to_string(wrapped_.first.slot) +
                            " at element " + std::to_string(wrapped_.first.slot * lookup_.factor) + "; " +
                            position(wrapped_.first) + ", " + machine + " multiplies by " +
                            std::to_string(lookup_.factor) + " in 32 bits. Use a smaller table, or several",
                 .where = std::move(values),
                 .cause = "product",
                 .count = wrapped_.count},
                site);
  }
}

void IndexWatch::report_range(Core& core, pto::instr::Site site) const {
  if (outside_.count) {
    const char* how = lookup_.capacity <= 0 ? "An empty table has no row or element to give" : lookup_.defined_by;
    core.report({.kind = FindingKind::oob_index,
                 .message = std::string(mnemonic_) + " " + lookup_.does + " " + std::to_string(outside_.first.value) +
                            ", " + lookup_.has + " " + std::to_string(std::max<std::int64_t>(lookup_.capacity, 0)) +
                            (*lookup_.slots ? " " : "") + lookup_.slots + "; " + position(outside_.first),
                 .where = where(outside_),
                 .cause = lookup_.index,
                 .count = outside_.count,
                 .advice = std::string(". ") + how},
                site);
  }
  if (misaligned_.count)
    core.report({.kind = FindingKind::oob_index,
                 .message = std::string(mnemonic_) + ": " + lookup_.index + " counts in multiples of " +
                            std::to_string(lookup_.multiple) + " bytes; " + position(misaligned_.first),
                 .where = where(misaligned_.first),
                 .cause = "multiple",
                 .count = misaligned_.count},
                site);
}

/// Wrap of a negative index depends on the width of the index, unless the capacity is a power of two.
std::string IndexWatch::wrap_advice() const {
  if (lookup_.policy != pto::instr::OutOfRange::wrap || lookup_.capacity <= 0) return {};
  const auto capacity = static_cast<std::uint64_t>(lookup_.capacity);
  const std::uint64_t here = negative_.first.value % capacity;
  const std::uint64_t wide = static_cast<std::uint64_t>(given(negative_.first.value)) % capacity;
  const std::string text = ". Wrap makes it " + std::to_string(here);
  return here == wide ? text : text + "; of 64-bit indices it would be " + std::to_string(wide);
}

void IndexWatch::report_negative(Core& core, pto::instr::Site site) const {
  if (!negative_.count) return;
  core.report({.kind = FindingKind::negative_index,
               .message = std::string(mnemonic_) + " reads a negative index as " +
                          std::to_string(negative_.first.value) + "; " + position(negative_.first),
               .where = where(negative_.first),
               .cause = lookup_.index,
               .count = negative_.count,
               .advice = wrap_advice()},
              site);
}

void IndexWatch::find_alias() {
  std::sort(written_.begin(), written_.end(),
            [](const Seen& a, const Seen& b) { return a.slot != b.slot ? a.slot < b.slot : a.order < b.order; });
  for (std::size_t i = 1; i < written_.size(); ++i) {
    if (written_[i].slot != written_[i - 1].slot) continue;
    if (alias_.count++ == 0 || written_[i].order < alias_.second.order)
      alias_.first = written_[i - 1], alias_.second = written_[i];
  }
}

void IndexWatch::report_alias(Core& core, pto::instr::Site site) const {
  if (!alias_.count) return;
  Where values = where(alias_.second);
  values.insert(values.end(), {{FindingField::slot, alias_.first.slot},
                               {FindingField::other_row, alias_.first.r},
                               {FindingField::other_col, alias_.first.c},
                               {FindingField::other_value, given(alias_.first.value)}});
  core.report(
      {.kind = FindingKind::alias,
       .message = std::string(mnemonic_) + " " + lookup_.does + " " + std::to_string(alias_.first.slot) + " twice; " +
                  position(alias_.first) + " and " + position(alias_.second) +
                  ". Make the indices unique, use an atomic, or spell ScatterConflict::Last where the target has it",
       .where = std::move(values),
       .cause = lookup_.index,
       .count = alias_.count},
      site);
}

}  // namespace ptox
