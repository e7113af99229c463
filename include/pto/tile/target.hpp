// SPDX-License-Identifier: Apache-2.0
// Machines as data: sizes, element types and capabilities.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pto/tile/dtype.hpp"

namespace ptox {

/// How Coalesce::Row computes the address of a row of an ND table.
enum class RowAddress : std::uint8_t {
  mixed_radix,  ///< the row index is decomposed into (i0, i1, i2, i3); all strides are used
  row_stride,   ///< base + row index * Stride[3]; the elements of a row are contiguous
  packed        ///< base + row index * valid columns; the capacity is Shape[3]
};

/// A machine as a value. Rules and bodies read these fields; no code compares targets by name.
struct Target {
  const char* name;
  int id;                                   ///< its bit in a TargetMask
  std::size_t default_budget, most_budget;  ///< bytes of UB for tiles without and with dynUBufSize; 0: all of UB
  std::size_t ub_bytes, l1_bytes, l0a_bytes, l0b_bytes, l0c_bytes;
  std::size_t ub_reserved_bytes;  ///< bytes of UB above the tiles for the runtime; the data cache has the rest of UB
  std::size_t ub_scratch_bytes;   ///< bytes at the end of UB that other instructions use as scratch
  pto::instr::DTypeSet dtypes, add_dtypes, max_min_dtypes;  ///< for MGATHER and MSCATTER
  pto::instr::DTypeSet store_add_dtypes;                    ///< for TSTORE with atomic add
  RowAddress row_address;
  bool native;                ///< the host itself: no machine limits; blocks run on threads
  bool accelerator;           ///< a separate device, for which kernels are compiled; the host does not model it
  bool any_transfer;          ///< TLOAD and TSTORE accept any tile layout with any tensor layout
  bool nz_tables, dn_tables;  ///< table layouts besides ND
  bool col_major_tiles;       ///< data tiles may be ColMajor
  bool index_row_major;       ///< index tiles are RowMajor with rows of whole 32-byte blocks; Row requires [1, R]
  bool index_linear;          ///< the indices of Coalesce::Row are read as R consecutive elements
  bool conflict_policy;       ///< MSCATTER accepts ScatterConflict
  bool checks_alignment;      ///< instructions check themselves that tile rows are whole 32-byte blocks
  bool nz_rows_whole;         ///< Row: all logical columns of an NZ row are moved; Zero clears the padded tile first
  bool nz_elem_by_block;      ///< Elem of NZ: the order is block column, row, column in the block
  bool drops_misaligned;      ///< DMA bursts at buffer addresses that are not multiples of 32 move nothing
  bool l1_to_gm;              ///< the MTE3 pipe stores L1 to global memory
  bool simt;                  ///< SIMT lanes; the order of conflicting writes is undefined unless Last
  int clusters = 24;          ///< clusters of cores that run at once; of the host, a usual number
};

using TargetMask = std::uint8_t;

namespace target {

using enum pto::instr::DType;
inline constexpr std::size_t kib = 1024;
inline constexpr pto::instr::DTypeSet nine{i8, u8, i16, u16, i32, u32, f16, bf16, f32};
inline constexpr pto::instr::DTypeSet twelve = nine | pto::instr::DTypeSet{e4m3, e5m2, hif8};

inline constexpr Target cpu{.name = "cpu",
                            .id = 0,
                            .default_budget = 0,
                            .most_budget = 0,
                            .ub_bytes = 1024 * 1024 * kib,
                            .l1_bytes = 1024 * 1024 * kib,
                            .l0a_bytes = 64 * 1024 * kib,
                            .l0b_bytes = 64 * 1024 * kib,
                            .l0c_bytes = 64 * 1024 * kib,
                            .ub_reserved_bytes = 0,
                            .ub_scratch_bytes = 0,
                            .dtypes = twelve,
                            .add_dtypes = nine,
                            .max_min_dtypes = nine,
                            .store_add_dtypes = nine,
                            .row_address = RowAddress::mixed_radix,
                            .native = true,
                            .accelerator = false,
                            .any_transfer = true,
                            .nz_tables = true,
                            .dn_tables = true,
                            .col_major_tiles = true,
                            .index_row_major = false,
                            .index_linear = false,
                            .conflict_policy = true,
                            .checks_alignment = false,
                            .nz_rows_whole = false,
                            .nz_elem_by_block = false,
                            .drops_misaligned = false,
                            .l1_to_gm = true,
                            .simt = false};

inline constexpr Target a2a3{.name = "a2a3",
                             .id = 1,
                             .default_budget = 0,
                             .most_budget = 0,
                             .ub_bytes = 192 * kib,
                             .l1_bytes = 512 * kib,
                             .l0a_bytes = 64 * kib,
                             .l0b_bytes = 64 * kib,
                             .l0c_bytes = 128 * kib,
                             .ub_reserved_bytes = 0,
                             .ub_scratch_bytes = 8 * kib,
                             .dtypes = nine,
                             .add_dtypes = {i8, i16, i32, f16, bf16, f32},
                             .max_min_dtypes = {},
                             .store_add_dtypes = {i8, i16, i32, f16, bf16, f32},
                             .row_address = RowAddress::row_stride,
                             .native = false,
                             .accelerator = false,
                             .any_transfer = false,
                             .nz_tables = true,
                             .dn_tables = false,
                             .col_major_tiles = false,
                             .index_row_major = true,
                             .index_linear = false,
                             .conflict_policy = false,
                             .checks_alignment = true,
                             .nz_rows_whole = true,
                             .nz_elem_by_block = true,
                             .drops_misaligned = true,
                             .l1_to_gm = true,
                             .simt = false};

inline constexpr Target a5{.name = "a5",
                           .id = 2,
                           .default_budget = 128 * kib,
                           .most_budget = 216 * kib,
                           .ub_bytes = 256 * kib,
                           .l1_bytes = 512 * kib,
                           .l0a_bytes = 64 * kib,
                           .l0b_bytes = 64 * kib,
                           .l0c_bytes = 256 * kib,
                           .ub_reserved_bytes = 8 * kib,
                           .ub_scratch_bytes = 0,
                           .dtypes = twelve,
                           .add_dtypes = {i32, u32, f16, bf16, f32},
                           .max_min_dtypes = {i32, u32, f32},
                           .store_add_dtypes = {i32, u32, f16, f32},
                           .row_address = RowAddress::packed,
                           .native = false,
                           .accelerator = false,
                           .any_transfer = false,
                           .nz_tables = false,
                           .dn_tables = false,
                           .col_major_tiles = true,
                           .index_row_major = false,
                           .index_linear = true,
                           .conflict_policy = true,
                           .checks_alignment = false,
                           .nz_rows_whole = false,
                           .nz_elem_by_block = false,
                           .drops_misaligned = false,
                           .l1_to_gm = false,
                           .simt = true,
                           .clusters = 32};

/// An NVIDIA GPU: UB is the shared memory of a thread block. The device's own limit, read at launch, may be less.
inline constexpr Target cuda{.name = "cuda",
                             .id = 3,
                             .default_budget = 0,
                             .most_budget = 0,
                             .ub_bytes = 227 * kib,
                             .l1_bytes = 0,
                             .l0a_bytes = 0,
                             .l0b_bytes = 0,
                             .l0c_bytes = 0,
                             .ub_reserved_bytes = 0,
                             .ub_scratch_bytes = 0,
                             .dtypes = twelve,
                             .add_dtypes = nine,
                             .max_min_dtypes = nine,
                             .store_add_dtypes = nine,
                             .row_address = RowAddress::mixed_radix,
                             .native = false,
                             .accelerator = true,
                             .any_transfer = true,
                             .nz_tables = true,
                             .dn_tables = true,
                             .col_major_tiles = true,
                             .index_row_major = false,
                             .index_linear = false,
                             .conflict_policy = true,
                             .checks_alignment = false,
                             .nz_rows_whole = false,
                             .nz_elem_by_block = false,
                             .drops_misaligned = false,
                             .l1_to_gm = false,
                             .simt = true};

/// All targets, indexed by id.
inline constexpr const Target* all[] = {&cpu, &a2a3, &a5, &cuda};
/// Targets that run on this host: the host itself and the models of machines.
inline constexpr const Target* on_host[] = {&cpu, &a2a3, &a5};

}  // namespace target

constexpr TargetMask bit(const Target& t) { return static_cast<TargetMask>(1u << t.id); }

/// The target with this name, or nullptr.
constexpr const Target* find_target(const char* name) {
  for (const Target* t : target::all) {
    const char *a = t->name, *b = name;
    while (*a && *a == *b) ++a, ++b;
    if (*a == *b) return t;
  }
  return nullptr;
}
/// The target with this name among those that run on this host, or nullptr.
constexpr const Target* find_on_host(const char* name) {
  const Target* t = find_target(name);
  return t && !t->accelerator ? t : nullptr;
}

}  // namespace ptox
