// SPDX-License-Identifier: Apache-2.0
// Kernels that access memory outside their allocations.
#include "bad/parts.hpp"

namespace ptox::corpus {
namespace {

using namespace pto;

const Add kernels(bad(), {
                             {"a_load_that_begins_near_the_end",
                              everywhere,
                              {FindingKind::oob_gm},
                              [](Memory& m) {
                                Matrix<float, 8, 32> rows(m.table.data() + 60 * 32);
                                Rows8 a;
                                TLOAD(a, rows);
                              }},
                             {"a_store_past_the_end",
                              everywhere,
                              {FindingKind::oob_gm},
                              [](Memory& m) {
                                Matrix<float, 8, 32> rows(m.out.data() + 57 * 32);
                                Rows8 a;
                                TEXPANDS(a, 1.0f);
                                after(PIPE_V, PIPE_MTE3);
                                TSTORE(rows, a);
                              }},
                             {"an_index_tile_loaded_past_the_end",
                              everywhere,
                              {FindingKind::oob_gm},
                              [](Memory& m) {
                                Matrix<std::int32_t, 1, 8> tail(m.idx.data() + 57);
                                Index8 idx;
                                TLOAD(idx, tail);
                              }},
                             {"a_table_declared_larger_than_its_memory",
                              everywhere,
                              {FindingKind::oob_gm},
                              [](Memory& m) {
                                Views g(m);
                                Matrix<float, 128, 32> table(m.table.data());
                                m.idx[4] = 100;
                                Rows8 dst;
                                Index8 idx;
                                fetch(idx, g.idx);
                                MGATHER<Coalesce::Row>(dst, table, idx);
                              }},
                             {"a_scatter_target_declared_larger_than_its_memory",
                              everywhere,
                              {FindingKind::oob_gm},
                              [](Memory& m) {
                                Views g(m);
                                Matrix<float, 65, 32> table(m.out.data());
                                m.idx[7] = 64;
                                Rows8 src;
                                Index8 idx;
                                TLOAD(src, g.rows);
                                fetch(idx, g.idx);
                                MSCATTER<Coalesce::Row, ScatterAtomicOp::Add>(table, src, idx);
                              }},
                             {"elements_of_a_table_declared_larger_than_its_memory",
                              everywhere,
                              {FindingKind::oob_gm},
                              [](Memory& m) {
                                Views g(m);
                                Matrix<float, 64, 64> table(m.table.data());
                                m.idx[0] = 64 * 32;
                                Cells8 dst;
                                CellIndex8 idx;
                                fetch(idx, g.cells);
                                MGATHER<Coalesce::Elem>(dst, table, idx);
                              }},
                             {"a_stride_of_the_wrong_matrix",
                              everywhere,
                              {FindingKind::oob_gm},
                              [](Memory& m) {
                                GlobalTensor<float, Shape<1, 1, 1, 8, 32>, Stride<4096, 4096, 4096, 512, 1>> rows(
                                    m.table.data());
                                Rows8 a;
                                TLOAD(a, rows);
                              }},
                             {"a_null_tensor_loaded",
                              everywhere,
                              {FindingKind::oob_gm},
                              [](Memory&) {
                                Matrix<float, 8, 32> nothing(nullptr);
                                Rows8 a;
                                TLOAD(a, nothing);
                              }},
                             {"a_null_table",
                              everywhere,
                              {FindingKind::oob_gm},
                              [](Memory& m) {
                                Views g(m);
                                Matrix<float, 64, 32> nothing;
                                Rows8 dst;
                                Index8 idx;
                                fetch(idx, g.idx);
                                MGATHER<Coalesce::Row>(dst, nothing, idx);
                              }},
                             {"a_null_destination",
                              everywhere,
                              {FindingKind::oob_gm},
                              [](Memory&) {
                                Matrix<float, 8, 32> nothing(nullptr);
                                Rows8 a;
                                TEXPANDS(a, 1.0f);
                                after(PIPE_V, PIPE_MTE3);
                                TSTORE(nothing, a);
                              }},
                             {"the_last_block_reaches_one_row_too_far",
                              everywhere,
                              {FindingKind::oob_gm},
                              [](Memory& m) {
                                Matrix<float, 8, 32> rows(m.table.data() + (get_block_idx() * 8 + 1) * 32);
                                Rows8 a;
                                TLOAD(a, rows);
                              },
                              {.blocks = 8}},
                             {"an_l1_scratch_too_small_for_its_memory",
                              everywhere,
                              {FindingKind::oob_gm},
                              [](Memory& m) {
                                Views g(m);
                                const Buffer<std::int32_t> zeros = m.dev.alloc<std::int32_t>(16 * 32);
                                Matrix<std::int32_t, 16, 32> idx(zeros.data());
                                Matrix<float, 16, 32> scratch(m.out.data() + 60 * 32);
                                Mat16 dst;
                                MGATHER<Coalesce::Elem>(dst, g.table, idx, scratch);
                              }},
                         });

}  // namespace
}  // namespace ptox::corpus
