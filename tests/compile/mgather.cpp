// SPDX-License-Identifier: Apache-2.0
// MGATHER calls that must not compile.
//
// Run time only: c11_valid
#include "operands.hpp"

using Dst = VecTile<float, 8, 32>;
using Idx = VecTile<int32_t, 1, 8>;
using Floats = NdTensor<float, 64, 32>;

void kernel() {
#if CASE == 1  // expect: Require<pto::instr::Mgather::c1_same_dtype, false>
  Dst dst;
  NdTensor<half, 64, 32> table;
  Idx idx;
  MGATHER<Coalesce::Row>(dst, table, idx);
#elif CASE == 2  // expect: Require<pto::instr::Mgather::c2_dtype, false>
  VecTile<double, 8, 32> dst;
  NdTensor<double, 64, 32> table;
  Idx idx;
  MGATHER<Coalesce::Row>(dst, table, idx);
#elif CASE == 3  // expect: Require<pto::instr::Mgather::c2_dtype, false>; target: a2a3
  VecTile<float8_e4m3_t, 8, 32> dst;
  NdTensor<float8_e4m3_t, 64, 32> table;
  Idx idx;
  MGATHER<Coalesce::Row>(dst, table, idx);
#elif CASE == 4  // expect: Require<pto::instr::Mgather::c2_dtype, false>; target: cpu
  VecTile<int64_t, 8, 32> dst;
  NdTensor<int64_t, 64, 32> table;
  Idx idx;
  MGATHER<Coalesce::Row>(dst, table, idx);
#elif CASE == 5  // expect: Require<pto::instr::Mgather::c3_index_dtype, false>
  Dst dst;
  Floats table;
  VecTile<int16_t, 1, 16, BLayout::RowMajor, 1, 8> idx;
  MGATHER<Coalesce::Row>(dst, table, idx);
#elif CASE == 6  // expect: Require<pto::instr::Mgather::c4_in_vec, false>
  MatTile<float, 8, 32> dst;
  Floats table;
  Idx idx;
  MGATHER<Coalesce::Row>(dst, table, idx);
#elif CASE == 7  // expect: Require<pto::instr::Mgather::c5_table_layout, false>; target: a2a3
  Dst dst;
  DnTensor<float, 64, 32> table;
  Idx idx;
  MGATHER<Coalesce::Row>(dst, table, idx);
#elif CASE == 8  // expect: Require<pto::instr::Mgather::c5_table_layout, false>; target: a5
  NzTile<float, 16, 32> dst;
  NzTensor<float, 64, 32> table;
  VecTile<int32_t, 16, 32> idx;
  MGATHER<Coalesce::Elem>(dst, table, idx);
#elif CASE == 9  // expect: Require<pto::instr::Mgather::c6_tile_layout, false>
  NzTile<float, 16, 32> dst;
  Floats table;
  VecTile<int32_t, 1, 16> idx;
  MGATHER<Coalesce::Row>(dst, table, idx);
#elif CASE == 10  // expect: Require<pto::instr::Mgather::c6_tile_layout, false>; target: a2a3
  VecTile<float, 8, 32, BLayout::ColMajor> dst;
  Floats table;
  Idx idx;
  MGATHER<Coalesce::Row>(dst, table, idx);
#elif CASE == 11  // expect: Require<pto::instr::Mgather::c7_nz_blocks, false>
  NzTile<float, 16, 32> dst;
  GlobalTensor<float, Shape<1, 4, 4, 16, -1>, Stride<2048, 512, 128, 8, 1>, Layout::NZ> table;
  VecTile<int32_t, 1, 16> idx;
  MGATHER<Coalesce::Row>(dst, table, idx);
#elif CASE == 12  // expect: Require<pto::instr::Mgather::c7_nz_blocks, false>
  NzTile<float, 16, 32> dst;
  WideNzTensor<float> table;
  VecTile<int32_t, 1, 16> idx;
  MGATHER<Coalesce::Row>(dst, table, idx);
#elif CASE == 13  // expect: Require<pto::instr::Mgather::c8_index_unboxed, false>
  VecTile<float, 16, 8> dst;
  NdTensor<float, 64, 8> table;
  NzTile<int32_t, 16, 8> idx;
  MGATHER<Coalesce::Elem>(dst, table, idx);
#elif CASE == 14  // expect: Require<pto::instr::Mgather::c9_index_shape, false>
  Dst dst;
  Floats table;
  VecTile<int32_t, 1, 16> idx;
  MGATHER<Coalesce::Row>(dst, table, idx);
#elif CASE == 15  // expect: Require<pto::instr::Mgather::c9_index_shape, false>
  Dst dst;
  Floats table;
  Idx idx;
  MGATHER<Coalesce::Elem>(dst, table, idx);
#elif CASE == 16  // expect: Require<pto::instr::Mgather::c9_index_shape, false>
  Dst dst;
  Floats table;
  VecTile<int32_t, 8, 16> idx;
  MGATHER(dst, table, idx);
#elif CASE == 17  // expect: Require<pto::instr::Mgather::c10_index_layout, false>; target: a2a3
  Dst dst;
  Floats table;
  VecTile<int32_t, 8, 1, BLayout::ColMajor> idx;
  MGATHER<Coalesce::Row>(dst, table, idx);
#elif CASE == 18  // expect: Require<pto::instr::Mgather::c10_index_layout, false>; target: a2a3
  Dst dst;
  Floats table;
  VecTile<int32_t, 8, 1> idx;
  MGATHER(dst, table, idx);
#elif CASE == 19  // expect: Require<pto::instr::Mgather::c10_index_layout, false>; target: a5
  Dst dst;
  Floats table;
  VecTile<int32_t, 8, 8, BLayout::RowMajor, 8, 1> idx;
  MGATHER<Coalesce::Row>(dst, table, idx);
#elif CASE == 20  // expect: Require<pto::instr::Mgather::c10_index_layout, false>; target: a2a3
  Dst dst;
  Floats table;
  VecTile<int32_t, 8, 32, BLayout::ColMajor> idx;
  MGATHER<Coalesce::Elem>(dst, table, idx);
#elif CASE == 21  // expect: Require<pto::instr::Mgather::c12_table_width, false>
  Dst dst;
  NdTensor<float, 64, 31> table;
  Idx idx;
  MGATHER<Coalesce::Row>(dst, table, idx);
#elif CASE == 22  // expect: Require<pto::instr::Mgather::c12_table_width, false>; target: a5
  Dst dst;
  NdTensor<float, 64, 40, 32> table;
  Idx idx;
  MGATHER<Coalesce::Row>(dst, table, idx);
#elif CASE == 23  // expect: Require<pto::instr::Mgather::c13_packed_rows, false>; target: a5
  Dst dst;
  NdTensor<float, 64, 32, 40> table;
  Idx idx;
  MGATHER<Coalesce::Row>(dst, table, idx);
#elif CASE == 24  // expect: Require<pto::instr::Mgather::c14_aligned, false>; target: a2a3
  VecTile<float, 8, 1> dst;
  NdTensor<float, 64, 1> table;
  Idx idx;
  MGATHER<Coalesce::Row>(dst, table, idx);
#elif CASE == 25  // expect: Require<pto::instr::Mgather::c15_table_size, false>
  Dst dst;
  HugeTensor<float> table;
  Idx idx;
  MGATHER<Coalesce::Row>(dst, table, idx);
#elif CASE == 26  // expect: MGATHER takes at most one Coalesce and one GatherOOB
  Dst dst;
  Floats table;
  Idx idx;
  MGATHER<GatherOOB::Clamp, GatherOOB::Wrap>(dst, table, idx);
#elif CASE == 27  // expect: MGATHER takes at most one Coalesce and one GatherOOB
  Dst dst;
  Floats table;
  Idx idx;
  MGATHER<Coalesce::Row, Coalesce::Row>(dst, table, idx);
#elif CASE == 28  // expect: MGATHER takes at most one Coalesce and one GatherOOB
  Dst dst;
  Floats table;
  Idx idx;
  MGATHER<ScatterOOB::Skip>(dst, table, idx);
#elif CASE == 29  // expect: MGATHER takes at most one Coalesce and one GatherOOB
  Dst dst;
  Floats table;
  Idx idx;
  MGATHER<1>(dst, table, idx);
#elif CASE == 30  // expect: no matching function for call to
  Dst dst;
  Floats table;
  Idx idx, not_an_event;
  MGATHER<Coalesce::Row>(dst, table, idx, not_an_event);
#elif CASE == 31  // expect: no matching function for call to
  Dst dst;
  Floats table;
  Idx idx;
  MGATHER<Coalesce::Row>(table, dst, idx);
#elif CASE == 32  // expect: no matching function for call to
  Dst dst;
  Floats table;
  MGATHER<Coalesce::Row>(dst, table);
#elif CASE == 33  // expect: Require<pto::instr::Mgather::c10_index_layout, false>; target: a2a3
  VecTile<float, 8, 32, BLayout::RowMajor, -1, -1> dst(4, 4);
  GlobalTensor<float, Shape<>, Stride<>> table;
  VecTile<int32_t, 8, 32, BLayout::ColMajor, -1, -1> idx(4, 4);
  MGATHER<Coalesce::Elem>(dst, table, idx);
#else
  Dst dst;
  Floats table;
  Idx row;
  VecTile<uint32_t, 8, 32> each;
  MGATHER(dst, table, row);
  MGATHER(dst, table, each);
  MGATHER<Coalesce::Row>(dst, table, row);
  MGATHER<GatherOOB::Zero>(dst, table, each);
  MGATHER<GatherOOB::Wrap, Coalesce::Elem>(dst, table, each);
  Event<Op::TLOAD, Op::MGATHER_VEC> loaded;
  Event<Op::MGATHER_VEC, Op::TSTORE_VEC> gathered = MGATHER<Coalesce::Row, GatherOOB::Clamp>(dst, table, row, loaded);
  VecTile<float, 8, 32, BLayout::RowMajor, -1, -1> dynamic_dst(4, 4);
  GlobalTensor<const float, Shape<>, Stride<>> dynamic_table;
  VecTile<int32_t, 8, 32, BLayout::RowMajor, -1, -1> dynamic_idx(4, 4);
  MGATHER(dynamic_dst, dynamic_table, dynamic_idx);
#endif
}
