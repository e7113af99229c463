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
  find_alias();
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
  core.report("alias", Severity::warning,
              std::string(mnemonic_) + " " + lookup_.does + " " + std::to_string(alias_.first.slot) + " twice; " +
                  position(alias_.first) + " and " + position(alias_.second) +
                  ". Make the indices unique, use an atomic, or spell ScatterConflict::Last where the target has it",
              site, lookup_.index, alias_.count, {}, where(alias_.second));
}

}  // namespace ptox
