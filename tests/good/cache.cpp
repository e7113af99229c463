// SPDX-License-Identifier: Apache-2.0
// Kernels that keep data caches and memory consistent.
#include "good/shapes.hpp"

namespace ptox::corpus {
namespace {

using namespace pto;

/// Elements to the results through the data cache; every pipe is done.
template <ScatterAtomicOp op = ScatterAtomicOp::None>
void scatter(Memory& m) {
  Square8 src;
  IdSquare8 idx;
  Square values(m.table.data());
  IdSquare ids(m.idx.data());
  Table results(m.out.data());
  for (int i = 0; i < 64; ++i) m.idx[i] = i;
  TLOAD(src, values);
  TLOAD(idx, ids);
  after(PIPE_MTE2, PIPE_V);
  MSCATTER<Coalesce::Elem, op>(results, src, idx);
  pipe_barrier(PIPE_ALL);
}
void load_back(Memory& m) {
  Square8 back;
  Square results(m.out.data());
  TLOAD(back, results);
  pipe_barrier(PIPE_ALL);
}
void clean(const volatile void* at) {
  dcci(at, ENTIRE_DATA_CACHE);
  dsb(DSB_DDR);
}

const Add kernels(good(),
                  {
                      {"a_scatter_is_cleaned_and_read_back",
                       everywhere,
                       {},
                       [](Memory& m) { scatter(m), clean(m.out.data()), load_back(m); }},
                      {"sums_are_cleaned_and_read_back",
                       everywhere,
                       {},
                       [](Memory& m) { scatter<ScatterAtomicOp::Add>(m), clean(m.out.data()), load_back(m); }},
                      {"a_scatter_is_cleaned_line_by_line",
                       everywhere,
                       {},
                       [](Memory& m) {
                         scatter(m);
                         for (int i = 0; i < 64; i += 16) dcci(m.out.data() + i, SINGLE_CACHE_LINE, CACHELINE_OUT);
                         dsb(DSB_ALL);
                         load_back(m);
                       }},
                      {"two_scatters_are_cleaned_once",
                       everywhere,
                       {},
                       [](Memory& m) { scatter(m), scatter(m), clean(m.out.data()), load_back(m); }},
                      {"scatters_meet_in_the_cache_of_their_core",
                       everywhere,
                       {},
                       [](Memory& m) { scatter(m), scatter<ScatterAtomicOp::Add>(m); }},
                      {"a_scatter_is_gathered_back_through_the_same_cache",
                       everywhere,
                       {},
                       [](Memory& m) {
                         scatter(m);
                         Square8 dst;
                         IdSquare8 idx;
                         IdSquare ids(m.idx.data());
                         Table results(m.out.data());
                         TLOAD(idx, ids);
                         after(PIPE_MTE2, PIPE_V);
                         MGATHER<Coalesce::Elem>(dst, results, idx);
                       }},
                      {"a_scatter_and_a_load_of_other_bytes",
                       everywhere,
                       {},
                       [](Memory& m) {
                         scatter(m);
                         Square8 back;
                         Square others(m.out.data() + 1024);
                         TLOAD(back, others);
                       }},
                      {"the_end_of_a_launch_publishes_a_scatter", everywhere, {}, [](Memory& m) { scatter(m); }},
                      {"a_stored_table_is_gathered_for_the_first_time",
                       everywhere,
                       {},
                       [](Memory& m) {
                         Square8 fresh, dst;
                         IdSquare8 idx;
                         Square values(m.table.data()), results(m.out.data());
                         IdSquare ids(m.idx.data());
                         Table table(m.out.data());
                         TLOAD(fresh, values);
                         TLOAD(idx, ids);
                         pipe_barrier(PIPE_ALL);
                         TSTORE(results, fresh);
                         pipe_barrier(PIPE_ALL);
                         MGATHER<Coalesce::Elem>(dst, table, idx);
                       }},
                      {"a_gathered_table_is_changed_cleaned_and_gathered_again",
                       everywhere,
                       {},
                       [](Memory& m) {
                         Square8 dst;
                         IdSquare8 idx;
                         Square values(m.table.data());
                         IdSquare ids(m.idx.data());
                         Table table(m.table.data());
                         TLOAD(idx, ids);
                         after(PIPE_MTE2, PIPE_V);
                         MGATHER<Coalesce::Elem>(dst, table, idx);
                         pipe_barrier(PIPE_ALL);
                         TSTORE(values, dst);
                         pipe_barrier(PIPE_ALL);
                         clean(m.table.data());
                         MGATHER<Coalesce::Elem>(dst, table, idx);
                       }},
                      {"rows_scattered_by_dma_are_loaded_back",
                       cpu_a2a3,
                       {},
                       [](Memory& m) {
                         Gm g(m);
                         Rows8 src, back;
                         Index8 idx;
                         TLOAD(src, g.in);
                         TLOAD(idx, g.ids);
                         after(PIPE_MTE2, PIPE_V);
                         MSCATTER<Coalesce::Row>(g.results, src, idx);
                         after(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);
                         TLOAD(back, g.out);
                       }},
                  });

}  // namespace
}  // namespace ptox::corpus
