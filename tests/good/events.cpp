// SPDX-License-Identifier: Apache-2.0
// Kernels that order pipes correctly by events.
#include "good/shapes.hpp"

namespace ptox::corpus {
namespace {

using namespace pto;

const Add kernels(good(),
                  {
                      {"an_event_from_load_to_store",
                       everywhere,
                       {},
                       [](Memory& m) {
                         Gm g(m);
                         Rows8 t;
                         Event<Op::TLOAD, Op::TSTORE_VEC> loaded = TLOAD(t, g.in);
                         loaded.Wait();
                         TSTORE(g.out, t);
                       }},
                      {"two_events_of_one_pair_take_an_id_each",
                       everywhere,
                       {},
                       [](Memory& m) {
                         Gm g(m);
                         Rows8 a, b, c, d;
                         Event<Op::TLOAD, Op::TMOV> first = TLOAD(a, g.in);
                         Event<Op::TLOAD, Op::TMOV> second = TLOAD(b, g.in);
                         TMOV(c, a, first);
                         TMOV(d, b, second);
                       }},
                      {"an_event_of_a_gather_to_l1_by_lanes",
                       cpu_a5,
                       {},
                       [](Memory& m) {
                         Table table(m.table.data());
                         Matrix<std::int32_t, 1, 16> ids(m.idx.data());
                         Matrix<float, 16, 32> out(m.out.data());
                         Tile<TileType::Mat, float, 16, 32, BLayout::ColMajor, 16, 32, SLayout::RowMajor> rows;
                         Event<Op::MGATHER_MAT, Op::TSTORE_MAT> done =
                             MGATHER<Coalesce::Row, GatherOOB::Undefined, GatherExec::Simt>(rows, table, ids);
                         TSTORE(out, rows, done);
                       }},
                      {"an_event_as_the_last_argument",
                       everywhere,
                       {},
                       [](Memory& m) {
                         Gm g(m);
                         Rows8 t;
                         Event<Op::TLOAD, Op::TSTORE_VEC> loaded = TLOAD(t, g.in);
                         TSTORE(g.out, t, loaded);
                       }},
                      {"events_around_a_lookup",
                       everywhere,
                       {},
                       [](Memory& m) {
                         Gm g(m);
                         Rows8 dst;
                         Index8 idx;
                         Event<Op::TLOAD, Op::MGATHER_VEC> loaded = TLOAD(idx, g.ids);
                         Event<Op::MGATHER_VEC, Op::TSTORE_VEC> found =
                             MGATHER<Coalesce::Row>(dst, g.table, idx, loaded);
                         TSTORE(g.out, dst, found);
                       }},
                      {"two_events_before_a_scatter",
                       everywhere,
                       {},
                       [](Memory& m) {
                         Gm g(m);
                         Rows8 src;
                         Index8 idx;
                         Event<Op::TLOAD, Op::MSCATTER, true, EVENT_ID1> have_src = TLOAD(src, g.in);
                         Event<Op::TLOAD, Op::MSCATTER, true, EVENT_ID2> have_idx = TLOAD(idx, g.ids);
                         MSCATTER<Coalesce::Row>(g.results, src, idx, have_src, have_idx);
                       }},
                      {"an_event_frees_the_source_of_a_scatter",
                       everywhere,
                       {},
                       [](Memory& m) {
                         Gm g(m), next(m, 1);
                         Rows8 src;
                         Index8 idx;
                         Event<Op::TLOAD, Op::MSCATTER, true, EVENT_ID3> have;
                         TLOAD(src, g.in);
                         have = TLOAD(idx, g.ids);
                         Event<Op::MSCATTER, Op::TLOAD> freed = MSCATTER<Coalesce::Row>(g.results, src, idx, have);
                         TLOAD(src, next.in, freed);
                       }},
                      {"an_event_used_in_every_round_of_a_loop",
                       everywhere,
                       {},
                       [](Memory& m) {
                         Rows8 t;
                         Event<Op::TLOAD, Op::TSTORE_VEC> loaded;
                         Event<Op::TSTORE_VEC, Op::TLOAD> stored;
                         for (int i = 0; i < 8; ++i) {
                           Gm g(m, i);
                           loaded = TLOAD(t, g.in, stored);
                           stored = TSTORE(g.out, t, loaded);
                         }
                         stored.Wait();
                       }},
                      {"tsync_waits_for_several_events",
                       everywhere,
                       {},
                       [](Memory& m) {
                         Gm g(m), next(m, 1);
                         Rows8 a, b;
                         Event<Op::TLOAD, Op::TSTORE_VEC, true, EVENT_ID0> first = TLOAD(a, g.in);
                         Event<Op::TLOAD, Op::TSTORE_VEC, true, EVENT_ID1> second = TLOAD(b, next.in);
                         TSYNC(first, second);
                         TSTORE(g.out, a);
                         TSTORE(next.out, b);
                       }},
                      {"tsync_drains_v_between_two_moves",
                       everywhere,
                       {},
                       [](Memory&) {
                         Rows8 a, b;
                         TEXPANDS(a, 1.0f);
                         TSYNC<Op::VECTOR>();
                         TMOV(b, a);
                       }},
                      {"an_event_between_two_instructions_of_one_pipe",
                       everywhere,
                       {},
                       [](Memory&) {
                         Rows8 a, b;
                         Event<Op::TEXPANDS, Op::TMOV> filled = TEXPANDS(a, 1.0f);
                         TMOV(b, a, filled);
                       }},
                      {"an_event_never_recorded_waits_for_nothing",
                       everywhere,
                       {},
                       [](Memory& m) {
                         Gm g(m);
                         Rows8 t;
                         Event<Op::TSTORE_VEC, Op::TLOAD> stored;
                         TLOAD(t, g.in, stored);
                         stored.Wait();
                       }},
                      {"an_event_waited_for_twice_is_waited_for_once",
                       everywhere,
                       {},
                       [](Memory& m) {
                         Gm g(m);
                         Rows8 t;
                         Event<Op::TLOAD, Op::TSTORE_VEC> loaded = TLOAD(t, g.in);
                         loaded.Wait();
                         loaded.Wait();
                         TSTORE(g.out, t, loaded);
                       }},
                      {"an_event_from_v_to_the_scalar_unit",
                       everywhere,
                       {},
                       [](Memory&) {
                         Rows8 t;
                         Event<Op::TEXPANDS, Op::SCALAR> filled = TEXPANDS(t, 1.0f);
                         filled.Wait();
                         (void)t.GetValue(0, 0);
                       }},
                      {"an_event_from_load_to_scalar_orders_all_that_is_issued_later",
                       everywhere,
                       {},
                       [](Memory& m) {
                         Gm g(m);
                         Rows8 t;
                         Event<Op::TLOAD, Op::SCALAR> loaded = TLOAD(t, g.in);
                         loaded.Wait();
                         (void)t.GetValue(0, 0);
                         TSTORE(g.out, t);
                       }},
                      {"an_event_from_an_element_lookup_to_v",
                       everywhere,
                       {},
                       [](Memory& m) {
                         Gm g(m);
                         IdSquare ids(m.idx.data());
                         Square8 dst, copy;
                         IdSquare8 idx;
                         Event<Op::TLOAD, Op::MGATHER> loaded = TLOAD(idx, ids);
                         Event<Op::MGATHER, Op::VECTOR> found = MGATHER<Coalesce::Elem>(dst, g.table, idx, loaded);
                         TMOV(copy, dst, found);
                       }},
                      {"an_event_from_a_tile_gather_to_the_store",
                       everywhere,
                       {},
                       [](Memory& m) {
                         Square out(m.out.data());
                         Square8 src, dst;
                         IdSquare8 idx;
                         TEXPANDS(src, 1.0f);
                         TEXPANDS(idx, 9);
                         Event<Op::TGATHER, Op::TSTORE_VEC> done = TGATHER(dst, src, idx);
                         TSTORE(out, dst, done);
                       }},
                      {"an_event_for_a_prefetch_and_the_load_after_it",
                       everywhere,
                       {},
                       [](Memory& m) {
                         Gm g(m);
                         Rows8 t;
                         Event<Op::TPREFETCH, Op::TLOAD> near = TPREFETCH(t, g.in);
                         TLOAD(t, g.in, near);
                       }},
                  });

}  // namespace
}  // namespace ptox::corpus
