// SPDX-License-Identifier: Apache-2.0
// A checked launch on the GPU finds what plain loops find, in random cases.
#include <gtest/gtest.h>

#include "cuda/cases.hpp"
#include "cuda/gpu/run_on_gpu.hpp"

namespace ptox::cuda_test {
namespace {

TEST(checks_on_gpu, random_gathers_and_scatters_find_what_the_plain_loop_finds) {
  for (int i = 0; i < 3000 && !testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE("seed " + std::to_string(i));
    Random random(static_cast<std::uint64_t>(i) + 1);
    Case c = i % 4 ? next_case(random) : next_wide_case(random);
    if (c.scatter && i % 2) c.op = 0, c.conflict = static_cast<int>(random.below(3));
    c.checked = c.coalesce_spelled = true;
    if (!random_test::legal(c)) continue;
    const random_test::Plan p(c);
    random_test::Outcome found = random_test::before(c);
    const GpuOptions options{.base = p.table_at, .check = Check::all};
    const Report report =
        c.scatter ? run_on_gpu<Mscatter>(random_test::scatter_operands(c, p, nullptr), found.ub, found.gm, options)
                  : run_on_gpu<Mgather>(random_test::gather_operands(c, p, nullptr), found.ub, found.gm, options);
    for (const Finding& f : report.findings()) found.findings.insert(f.id);
    EXPECT_EQ(found.findings, random_test::expected(c).findings) << report << c;
  }
}

}  // namespace
}  // namespace ptox::cuda_test
