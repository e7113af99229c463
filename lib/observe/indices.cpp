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

void IndexWatch::see(std::uint32_t value, std::int64_t r, std::int64_t c) {
  const Seen seen{pto::instr::remap(value, lookup_.capacity, lookup_.policy).at, value, r, c, order_++};
  if (lookup_.is_signed && static_cast<std::int32_t>(value) < 0) negative_.add(seen);
  const bool defined = lookup_.policy != pto::instr::OutOfRange::undefined;
  const bool outside =
      lookup_.capacity <= 0 ? lookup_.policy != pto::instr::OutOfRange::drop : value >= lookup_.capacity && !defined;
  if (outside)
    outside_.add(seen);
  else if (value % lookup_.multiple != 0)
    misaligned_.add(seen);
  if (seen.slot >= 0 && seen.slot * lookup_.factor >= two_32) wrapped_.add(seen);
  if (lookup_.writes_once && seen.slot >= 0) written_.push_back(seen);
}

void IndexWatch::count(Fault fault, std::uint32_t value, std::int64_t r, std::int64_t c, std::int64_t times,
                       std::uint32_t high) {
  Offenders& offenders = fault == Fault::outside ? outside_ : fault == Fault::misaligned ? misaligned_ : negative_;
  offenders = {.count = times, .first = {pto::instr::Slot::none, value, r, c, 0}, .high = high};
}

std::string IndexWatch::shown(std::uint32_t value) const {
  return lookup_.is_signed ? std::to_string(static_cast<std::int32_t>(value)) : std::to_string(value);
}

std::string IndexWatch::position(const Seen& s) const {
  return std::string(lookup_.index) + "[" + std::to_string(s.r) + "," + std::to_string(s.c) + "] = " + shown(s.value);
}

Where IndexWatch::where(const Seen& s) const {
  return {{"instruction", mnemonic_},   {"operand", lookup_.index}, {"row", std::to_string(s.r)},
          {"col", std::to_string(s.c)}, {"value", shown(s.value)},  {"capacity", std::to_string(lookup_.capacity)}};
}

void IndexWatch::report(Core& core, pto::instr::Site site) {
  report_range(core, site);
  report_negative(core, site);
  if (!core.target().native && !core.target().accelerator) report_wrap(core, site);
  report_alias(core, site);
}

void IndexWatch::report_wrap(Core& core, pto::instr::Site site) const {
  const std::string machine = core.target().name;
  if (lookup_.capacity >= two_32)
    core.report("address-wrap", Severity::error,
                std::string(mnemonic_) + ": " + lookup_.has + " " + std::to_string(lookup_.capacity) + " " +
                    lookup_.slots + ", " + machine + " counts them in 32 bits. Use a smaller table, or several",
                site, "capacity", 1, {},
                {{"instruction", mnemonic_}, {"operand", "table"}, {"capacity", std::to_string(lookup_.capacity)}});
  else if (wrapped_.count)
    core.report("address-wrap", Severity::error,
                std::string(mnemonic_) + " " + lookup_.does + " " + std::to_string(wrapped_.first.slot) +
                    " at element " + std::to_string(wrapped_.first.slot * lookup_.factor) + "; " +
                    position(wrapped_.first) + ", " + machine + " multiplies by " + std::to_string(lookup_.factor) +
                    " in 32 bits. Use a smaller table, or several",
                site, "product", wrapped_.count, {}, where(wrapped_.first));
}

void IndexWatch::report_range(Core& core, pto::instr::Site site) const {
  if (outside_.count) {
    const char* how = lookup_.capacity <= 0 ? "An empty table has no row or element to give" : lookup_.defined_by;
    core.report("oob-index", Severity::error,
                std::string(mnemonic_) + " " + lookup_.does + " " + std::to_string(outside_.first.value) + ", " +
                    lookup_.has + " " + std::to_string(std::max<std::int64_t>(lookup_.capacity, 0)) +
                    (*lookup_.slots ? " " : "") + lookup_.slots + "; " + position(outside_.first),
                site, lookup_.index, outside_.count, {outside_.high, std::string(". ") + how}, where(outside_.first));
  }
  if (misaligned_.count)
    core.report("oob-index", Severity::error,
                std::string(mnemonic_) + ": " + lookup_.index + " counts in multiples of " +
                    std::to_string(lookup_.multiple) + " bytes; " + position(misaligned_.first),
                site, "multiple", misaligned_.count, {}, where(misaligned_.first));
}

void IndexWatch::report_negative(Core& core, pto::instr::Site site) const {
  if (!negative_.count) return;
  core.report("negative-index", Severity::note,
              std::string(mnemonic_) + " reads a negative index as " + std::to_string(negative_.first.value) + "; " +
                  position(negative_.first),
              site, lookup_.index, negative_.count, {}, where(negative_.first));
}

void IndexWatch::report_alias(Core& core, pto::instr::Site site) {
  std::sort(written_.begin(), written_.end(),
            [](const Seen& a, const Seen& b) { return a.slot != b.slot ? a.slot < b.slot : a.order < b.order; });
  std::int64_t count = 0;
  const Seen *first = nullptr, *second = nullptr;
  for (std::size_t i = 1; i < written_.size(); ++i) {
    if (written_[i].slot != written_[i - 1].slot) continue;
    ++count;
    if (!second || written_[i].order < second->order) first = &written_[i - 1], second = &written_[i];
  }
  if (!count) return;
  core.report("alias", Severity::warning,
              std::string(mnemonic_) + " " + lookup_.does + " " + std::to_string(first->slot) + " twice; " +
                  position(*first) + " and " + position(*second) +
                  ". Make the indices unique, use an atomic, or spell ScatterConflict::Last where the target has it",
              site, lookup_.index, count, {}, where(*second));
}

}  // namespace ptox
