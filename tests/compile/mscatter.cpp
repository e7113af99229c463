// SPDX-License-Identifier: Apache-2.0
// MSCATTER calls that must not compile.
//
// Run time only: c11_valid
#include "operands.hpp"

using Src = VecTile<float, 8, 32>;
using Idx = VecTile<int32_t, 1, 8>;
using Floats = NdTensor<float, 64, 32>;

void kernel() {
#if CASE == 1  // expect: Require<pto::instr::Mscatter::c1_same_dtype, false>
  Src src;
  NdTensor<half, 64, 32> table;
  Idx idx;
  MSCATTER<Coalesce::Row>(table, src, idx);
#elif CASE == 2  // expect: Require<pto::instr::Mscatter::c2_dtype, false>
  VecTile<double, 8, 32> src;
  NdTensor<double, 64, 32> table;
  Idx idx;
  MSCATTER<Coalesce::Row>(table, src, idx);
#elif CASE == 3  // expect: Require<pto::instr::Mscatter::c2_dtype, false>; target: a2a3
  VecTile<float8_e4m3_t, 8, 32> src;
  NdTensor<float8_e4m3_t, 64, 32> table;
  Idx idx;
  MSCATTER<Coalesce::Row>(table, src, idx);
#elif CASE == 4  // expect: Require<pto::instr::Mscatter::c2_dtype, false>; target: cpu
  VecTile<int64_t, 8, 32> src;
  NdTensor<int64_t, 64, 32> table;
  Idx idx;
  MSCATTER<Coalesce::Row>(table, src, idx);
#elif CASE == 5  // expect: Require<pto::instr::Mscatter::c3_index_dtype, false>
  Src src;
  Floats table;
  VecTile<int16_t, 1, 16, BLayout::RowMajor, 1, 8> idx;
  MSCATTER<Coalesce::Row>(table, src, idx);
#elif CASE == 6  // expect: Require<pto::instr::Mscatter::c4_in_vec, false>
  MatTile<float, 8, 32> src;
  Floats table;
  Idx idx;
  MSCATTER<Coalesce::Row>(table, src, idx);
#elif CASE == 7  // expect: Require<pto::instr::Mscatter::c5_table_layout, false>; target: a2a3
  Src src;
  DnTensor<float, 64, 32> table;
  Idx idx;
  MSCATTER<Coalesce::Row>(table, src, idx);
#elif CASE == 8  // expect: Require<pto::instr::Mscatter::c5_table_layout, false>; target: a5
  NzTile<float, 16, 32> src;
  NzTensor<float, 64, 32> table;
  VecTile<int32_t, 16, 32> idx;
  MSCATTER<Coalesce::Elem>(table, src, idx);
#elif CASE == 9  // expect: Require<pto::instr::Mscatter::c6_tile_layout, false>
  NzTile<float, 16, 32> src;
  Floats table;
  VecTile<int32_t, 1, 16> idx;
  MSCATTER<Coalesce::Row>(table, src, idx);
#elif CASE == 10  // expect: Require<pto::instr::Mscatter::c6_tile_layout, false>; target: a2a3
  VecTile<float, 8, 32, BLayout::ColMajor> src;
  Floats table;
  Idx idx;
  MSCATTER<Coalesce::Row>(table, src, idx);
#elif CASE == 11  // expect: Require<pto::instr::Mscatter::c7_nz_blocks, false>
  NzTile<float, 16, 32> src;
  GlobalTensor<float, Shape<1, 4, 4, 16, -1>, Stride<2048, 512, 128, 8, 1>, Layout::NZ> table;
  VecTile<int32_t, 1, 16> idx;
  MSCATTER<Coalesce::Row>(table, src, idx);
#elif CASE == 12  // expect: Require<pto::instr::Mscatter::c7_nz_blocks, false>
  NzTile<float, 16, 32> src;
  WideNzTensor<float> table;
  VecTile<int32_t, 1, 16> idx;
  MSCATTER<Coalesce::Row>(table, src, idx);
#elif CASE == 13  // expect: Require<pto::instr::Mscatter::c8_index_unboxed, false>
  VecTile<float, 16, 8> src;
  NdTensor<float, 64, 8> table;
  NzTile<int32_t, 16, 8> idx;
  MSCATTER<Coalesce::Elem>(table, src, idx);
#elif CASE == 14  // expect: Require<pto::instr::Mscatter::c9_index_shape, false>
  Src src;
  Floats table;
  VecTile<int32_t, 1, 16> idx;
  MSCATTER<Coalesce::Row>(table, src, idx);
#elif CASE == 15  // expect: Require<pto::instr::Mscatter::c9_index_shape, false>
  Src src;
  Floats table;
  Idx idx;
  MSCATTER<Coalesce::Elem>(table, src, idx);
#elif CASE == 16  // expect: Require<pto::instr::Mscatter::c9_index_shape, false>
  Src src;
  Floats table;
  VecTile<int32_t, 8, 16> idx;
  MSCATTER(table, src, idx);
#elif CASE == 17  // expect: Require<pto::instr::Mscatter::c10_index_layout, false>; target: a2a3
  Src src;
  Floats table;
  VecTile<int32_t, 8, 1, BLayout::ColMajor> idx;
  MSCATTER<Coalesce::Row>(table, src, idx);
#elif CASE == 18  // expect: Require<pto::instr::Mscatter::c10_index_layout, false>; target: a2a3
  Src src;
  Floats table;
  VecTile<int32_t, 8, 1> idx;
  MSCATTER(table, src, idx);
#elif CASE == 19  // expect: Require<pto::instr::Mscatter::c10_index_layout, false>; target: a5
  Src src;
  Floats table;
  VecTile<int32_t, 8, 8, BLayout::RowMajor, 8, 1> idx;
  MSCATTER<Coalesce::Row>(table, src, idx);
#elif CASE == 20  // expect: Require<pto::instr::Mscatter::c10_index_layout, false>; target: a2a3
  Src src;
  Floats table;
  VecTile<int32_t, 8, 32, BLayout::ColMajor> idx;
  MSCATTER<Coalesce::Elem>(table, src, idx);
#elif CASE == 21  // expect: Require<pto::instr::Mscatter::c12_table_width, false>
  Src src;
  NdTensor<float, 64, 31> table;
  Idx idx;
  MSCATTER<Coalesce::Row>(table, src, idx);
#elif CASE == 22  // expect: Require<pto::instr::Mscatter::c12_table_width, false>; target: a5
  Src src;
  NdTensor<float, 64, 40, 32> table;
  Idx idx;
  MSCATTER<Coalesce::Row>(table, src, idx);
#elif CASE == 23  // expect: Require<pto::instr::Mscatter::c13_packed_rows, false>; target: a5
  Src src;
  NdTensor<float, 64, 32, 40> table;
  Idx idx;
  MSCATTER<Coalesce::Row>(table, src, idx);
#elif CASE == 24  // expect: Require<pto::instr::Mscatter::c14_aligned, false>; target: a2a3
  VecTile<float, 8, 1> src;
  NdTensor<float, 64, 1> table;
  Idx idx;
  MSCATTER<Coalesce::Row>(table, src, idx);
#elif CASE == 25  // expect: Require<pto::instr::Mscatter::c15_table_size, false>
  Src src;
  HugeTensor<float> table;
  Idx idx;
  MSCATTER<Coalesce::Row>(table, src, idx);
#elif CASE == 26  // expect: MSCATTER takes at most one Coalesce, ScatterAtomicOp, ScatterOOB and ScatterConflict
  Src src;
  Floats table;
  Idx idx;
  MSCATTER<ScatterOOB::Clamp, ScatterOOB::Wrap>(table, src, idx);
#elif CASE == 27  // expect: MSCATTER takes at most one Coalesce, ScatterAtomicOp, ScatterOOB and ScatterConflict
  Src src;
  Floats table;
  Idx idx;
  MSCATTER<Coalesce::Row, Coalesce::Row>(table, src, idx);
#elif CASE == 28  // expect: MSCATTER takes at most one Coalesce, ScatterAtomicOp, ScatterOOB and ScatterConflict
  Src src;
  Floats table;
  Idx idx;
  MSCATTER<GatherOOB::Zero>(table, src, idx);
#elif CASE == 29  // expect: MSCATTER takes at most one Coalesce, ScatterAtomicOp, ScatterOOB and ScatterConflict
  Src src;
  Floats table;
  Idx idx;
  MSCATTER<1>(table, src, idx);
#elif CASE == 30  // expect: no matching function for call to
  Src src;
  Floats table;
  Idx idx, not_an_event;
  MSCATTER<Coalesce::Row>(table, src, idx, not_an_event);
#elif CASE == 31  // expect: no matching function for call to
  Src src;
  Floats table;
  Idx idx;
  MSCATTER<Coalesce::Row>(src, table, idx);
#elif CASE == 32  // expect: no matching function for call to
  Src src;
  Floats table;
  MSCATTER<Coalesce::Row>(table, src);
#elif CASE == 33  // expect: Require<pto::instr::Mscatter::c10_index_layout, false>; target: a2a3
  VecTile<float, 8, 32, BLayout::RowMajor, -1, -1> src(4, 4);
  GlobalTensor<float, Shape<>, Stride<>> table;
  VecTile<int32_t, 8, 32, BLayout::ColMajor, -1, -1> idx(4, 4);
  MSCATTER<Coalesce::Elem>(table, src, idx);
#elif CASE == 34  // expect: Require<pto::instr::Mscatter::c16_atomic_dtype, false>
  VecTile<float8_e5m2_t, 8, 32> src;
  NdTensor<float8_e5m2_t, 64, 32> table;
  Idx idx;
  MSCATTER<Coalesce::Row, ScatterAtomicOp::Add>(table, src, idx);
#elif CASE == 35  // expect: Require<pto::instr::Mscatter::c16_atomic_dtype, false>; target: a2a3
  VecTile<uint32_t, 8, 32> src;
  NdTensor<uint32_t, 64, 32> table;
  Idx idx;
  MSCATTER<Coalesce::Row, ScatterAtomicOp::Add>(table, src, idx);
#elif CASE == 36  // expect: Require<pto::instr::Mscatter::c16_atomic_dtype, false>; target: a2a3
  Src src;
  Floats table;
  Idx idx;
  MSCATTER<Coalesce::Row, ScatterAtomicOp::Max>(table, src, idx);
#elif CASE == 37  // expect: Require<pto::instr::Mscatter::c16_atomic_dtype, false>; target: a5
  VecTile<int16_t, 8, 32> src;
  NdTensor<int16_t, 64, 32> table;
  Idx idx;
  MSCATTER<Coalesce::Row, ScatterAtomicOp::Add>(table, src, idx);
#elif CASE == 38  // expect: Require<pto::instr::Mscatter::c16_atomic_dtype, false>; target: a5
  VecTile<half, 8, 32> src;
  NdTensor<half, 64, 32> table;
  Idx idx;
  MSCATTER<Coalesce::Row, ScatterAtomicOp::Min>(table, src, idx);
#elif CASE == 39  // expect: Require<pto::instr::Mscatter::c17_conflict, false>; target: a2a3
  Src src;
  Floats table;
  Idx idx;
  MSCATTER<Coalesce::Row, ScatterAtomicOp::None, ScatterOOB::Skip, ScatterConflict::Last>(table, src, idx);
#elif CASE == 40  // expect: MSCATTER takes at most one Coalesce, ScatterAtomicOp, ScatterOOB and ScatterConflict
  Src src;
  Floats table;
  Idx idx;
  MSCATTER<ScatterAtomicOp::Add, ScatterAtomicOp::Add>(table, src, idx);
#elif CASE == 41  // expect: MSCATTER writes table: its element type is not const
  Src src;
  NdTensor<const float, 64, 32> table;
  Idx idx;
  MSCATTER<Coalesce::Row>(table, src, idx);
#else
  Src src;
  Floats table;
  Idx row;
  VecTile<uint32_t, 8, 32> each;
  MSCATTER(table, src, row);
  MSCATTER(table, src, each);
  MSCATTER<Coalesce::Row>(table, src, row);
  MSCATTER<ScatterAtomicOp::Add, ScatterOOB::Skip>(table, src, each);
  MSCATTER<ScatterOOB::Wrap, Coalesce::Elem, ScatterAtomicOp::None>(table, src, each);
  Event<Op::TLOAD, Op::MSCATTER> loaded;
  Event<Op::MSCATTER, Op::TLOAD> scattered = MSCATTER<Coalesce::Row, ScatterAtomicOp::Add>(table, src, row, loaded);
  VecTile<float, 8, 32, BLayout::RowMajor, -1, -1> dynamic_src(4, 4);
  GlobalTensor<float, Shape<>, Stride<>> dynamic_table;
  VecTile<int32_t, 8, 32, BLayout::RowMajor, -1, -1> dynamic_idx(4, 4);
  MSCATTER(dynamic_table, dynamic_src, dynamic_idx);
#endif
}
