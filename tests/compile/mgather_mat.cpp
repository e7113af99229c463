// SPDX-License-Identifier: Apache-2.0
// MGATHER calls into a Mat tile that must not compile.
//
// Run time only: c7_valid
#include "operands.hpp"

using Dst = NzTile<float, 16, 32, TileType::Mat>;
using Floats = NdTensor<float, 64, 32>;
using Idx = NdTensor<int32_t, 1, 16>;
using Each = NdTensor<int32_t, 16, 32>;
using Scratch = NdTensor<float, 16, 32>;

void kernel() {
#if CASE == 1  // expect: Require<pto::instr::MgatherMat::c1_same_dtype, false>
  Dst dst;
  NdTensor<half, 64, 32> table;
  Idx idx;
  MGATHER<Coalesce::Row>(dst, table, idx);
#elif CASE == 2  // expect: Require<pto::instr::MgatherMat::c1_same_dtype, false>
  Dst dst;
  Floats table;
  Each idx;
  NdTensor<int32_t, 16, 32> scratch;
  MGATHER<Coalesce::Elem>(dst, table, idx, scratch);
#elif CASE == 3  // expect: Require<pto::instr::MgatherMat::c2_dtype, false>
  NzTile<double, 16, 32, TileType::Mat> dst;
  NdTensor<double, 64, 32> table;
  Idx idx;
  MGATHER<Coalesce::Row>(dst, table, idx);
#elif CASE == 4  // expect: Require<pto::instr::MgatherMat::c2_dtype, false>; target: a2a3
  NzTile<hifloat8_t, 16, 32, TileType::Mat> dst;
  NdTensor<hifloat8_t, 64, 32> table;
  Idx idx;
  MGATHER<Coalesce::Row>(dst, table, idx);
#elif CASE == 5  // expect: Require<pto::instr::MgatherMat::c3_index_dtype, false>
  Dst dst;
  Floats table;
  NdTensor<int64_t, 1, 16> idx;
  MGATHER<Coalesce::Row>(dst, table, idx);
#elif CASE == 6  // expect: Require<pto::instr::MgatherMat::c4_in_mat, false>
  NzTile<float, 16, 32> dst;
  Floats table;
  Idx idx;
  MGATHER<Coalesce::Row>(dst, table, idx);
#elif CASE == 7  // expect: Require<pto::instr::MgatherMat::c5_nz_tile, false>
  MatTile<float, 16, 32> dst;
  Floats table;
  Idx idx;
  MGATHER<Coalesce::Row>(dst, table, idx);
#elif CASE == 8  // expect: Require<pto::instr::MgatherMat::c6_table_layout, false>; target: a2a3
  Dst dst;
  DnTensor<float, 64, 32> table;
  Idx idx;
  MGATHER<Coalesce::Row>(dst, table, idx);
#elif CASE == 9  // expect: Require<pto::instr::MgatherMat::c6_table_layout, false>; target: a5
  Dst dst;
  NzTensor<float, 64, 32> table;
  Each idx;
  Scratch scratch;
  MGATHER<Coalesce::Elem>(dst, table, idx, scratch);
#elif CASE == 10  // expect: Require<pto::instr::MgatherMat::c8_index_shape, false>
  Dst dst;
  Floats table;
  NdTensor<int32_t, 1, 15> idx;
  MGATHER<Coalesce::Row>(dst, table, idx);
#elif CASE == 11  // expect: Require<pto::instr::MgatherMat::c8_index_shape, false>
  Dst dst;
  Floats table;
  Idx idx;
  Scratch scratch;
  MGATHER<Coalesce::Elem>(dst, table, idx, scratch);
#elif CASE == 12  // expect: Require<pto::instr::MgatherMat::c9_table_width, false>
  Dst dst;
  NdTensor<float, 64, 31> table;
  Idx idx;
  MGATHER<Coalesce::Row>(dst, table, idx);
#elif CASE == 13  // expect: Require<pto::instr::MgatherMat::c16_packed_rows, false>; target: a5
  Dst dst;
  NdTensor<float, 64, 32, 40> table;
  Idx idx;
  MGATHER<Coalesce::Row>(dst, table, idx);
#elif CASE == 14  // expect: Require<pto::instr::MgatherMat::c10_scratch, false>
  Dst dst;
  Floats table;
  Each idx;
  NdTensor<float, 1, 511> scratch;
  MGATHER<Coalesce::Elem>(dst, table, idx, scratch);
#elif CASE == 15  // expect: Require<pto::instr::MgatherMat::c11_exec, false>; target: a2a3
  Dst dst;
  Floats table;
  Each idx;
  Scratch scratch;
  MGATHER<Coalesce::Elem, GatherOOB::Zero, GatherExec::Simt>(dst, table, idx, scratch);
#elif CASE == 16  // expect: Require<pto::instr::MgatherMat::c12_table_size, false>
  Dst dst;
  HugeTensor<float> table;
  Idx idx;
  MGATHER<Coalesce::Row>(dst, table, idx);
#elif CASE == 17  // expect: Require<pto::instr::MgatherMat::c13_index_size, false>
  Dst dst;
  Floats table;
  NdTensor<int32_t, 1, 16, (std::int64_t{1} << 62)> idx;
  MGATHER<Coalesce::Row>(dst, table, idx);
#elif CASE == 18  // expect: Require<pto::instr::MgatherMat::c14_nz_table, false>
  Dst dst;
  WideNzTensor<float> table;
  Idx idx;
  MGATHER<Coalesce::Row>(dst, table, idx);
#elif CASE == 19  // expect: MGATHER<Coalesce::Elem> to Mat takes a GM scratch after idx
  Dst dst;
  Floats table;
  Each idx;
  MGATHER<Coalesce::Elem>(dst, table, idx);
#elif CASE == 20  // expect: MGATHER to Mat takes at most one Coalesce, GatherOOB and GatherExec
  Dst dst;
  Floats table;
  Idx idx;
  MGATHER<GatherExec::Scalar, GatherExec::Simt>(dst, table, idx);
#elif CASE == 21  // expect: MGATHER to Mat takes at most one Coalesce, GatherOOB and GatherExec
  Dst dst;
  Floats table;
  Idx idx;
  Scratch scratch;
  MGATHER<ScatterOOB::Clamp>(dst, table, idx, scratch);
#elif CASE == 22  // expect: no matching function for call to
  Dst dst;
  Floats table;
  Each idx;
  VecTile<float, 16, 32> scratch;
  MGATHER<Coalesce::Elem>(dst, table, idx, scratch);
#elif CASE == 23  // expect: Require<pto::instr::MgatherMat::c9_table_width, false>; target: a5
  Dst dst;
  NdTensor<float, 64, 40> table;
  Idx idx;
  MGATHER<Coalesce::Row>(dst, table, idx);
#elif CASE == 24  // expect: Require<pto::instr::MgatherMat::c15_scratch_size, false>
  Dst dst;
  Floats table;
  Each idx;
  HugeTensor<float> scratch;
  MGATHER<Coalesce::Elem>(dst, table, idx, scratch);
#elif CASE == 25  // expect: writes scratch: its element type is not const
  Dst dst;
  Floats table;
  Each idx;
  NdTensor<const float, 16, 32> scratch;
  MGATHER<Coalesce::Elem>(dst, table, idx, scratch);
#else
  Dst dst;
  Floats table;
  Idx idx;
  Each each;
  Scratch scratch;
  Event<Op::TLOAD, Op::MGATHER_MAT> loaded;
  MGATHER<Coalesce::Row>(dst, table, idx);
  MGATHER<Coalesce::Row, GatherOOB::Clamp>(dst, table, idx, loaded);
  MGATHER<Coalesce::Elem, GatherOOB::Zero>(dst, table, each, scratch);
  MGATHER<Coalesce::Elem>(dst, table, each, scratch, loaded);
#endif
}
