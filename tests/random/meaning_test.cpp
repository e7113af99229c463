// SPDX-License-Identifier: Apache-2.0
// Reference meanings give the bytes that the manual specifies, and effects list exactly the bytes that they access.
#include <gtest/gtest.h>

#include <cstring>
#include <optional>

#include "launched.hpp"
#include "random/layout.hpp"
#include "random/recorder.hpp"

namespace ptox::random_test {
namespace {

/// The result of the reference meaning; std::nullopt if the effects list other bytes than it accessed.
std::optional<Outcome> by_meaning(const Case& c) {
  const Plan p(c);
  Outcome o = before(c);
  Device dev(*c.target, {Check::off});
  auto gm = dev.alloc<std::uint8_t>(p.gm_bytes);
  std::copy(o.gm.begin(), o.gm.end(), gm.begin());
  bool match = false;
  require_clean(dev.launch({}, [&] {
    std::byte* ub = pto::instr::detail::address(pto::TileType::Vec, 0, p.ub_bytes);
    std::memcpy(ub, o.ub.data(), o.ub.size());
    match = c.scatter ? effects_match<pto::instr::Mscatter>(scatter_operands(c, p, gm.data() + p.table_at))
                      : effects_match<pto::instr::Mgather>(gather_operands(c, p, gm.data() + p.table_at));
    std::memcpy(o.ub.data(), ub, o.ub.size());
  }));
  std::copy(gm.begin(), gm.end(), o.gm.begin());
  if (!match) return std::nullopt;
  return o;
}

bool wrong(const Case& c) {
  const std::optional<Outcome> found = by_meaning(c);
  const Outcome e = expected(c);
  return !found || found->ub != e.ub || found->gm != e.gm;
}

TEST(meaning, equals_the_plain_loop_and_touches_what_the_effects_say) {
  Random random(4242);
  for (int i = 0; i < 4000; ++i) {
    const Case c = random_case(random);
    if (!wrong(c)) continue;
    const Case least = shrunk(c, wrong);
    FAIL() << least << "\n  " << (by_meaning(least) ? "bytes differ" : "effects differ");
  }
}

}  // namespace
}  // namespace ptox::random_test
