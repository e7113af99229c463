// SPDX-License-Identifier: Apache-2.0
// How do arrays come from and go to numpy's .npy files?
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pto/tile/dtype.hpp"

namespace ptox {

// numpy has no bf16, no 8-bit floats and no hif8: bf16 travels as the uint16 of its bits ('<u2'), the others as uint8
// ('|u1'). All else is numpy's own type, f16 is '<f2'. What ml_dtypes saves is read as well: '<V2' is bf16, '|V1' any
// of the 8-bit floats, '<f1' f8e5m2.

/// An array as its file holds it, in C order.
struct NpyArray {
  pto::instr::DType dtype = pto::instr::DType::u8;  ///< as stored: bits of a type that numpy lacks are u16 or u8
  std::string descr = "|u1";                        ///< numpy's name of it, as the file spells it
  std::vector<std::int64_t> shape;                  ///< empty: one element
  std::vector<std::byte> bytes;

  std::int64_t count() const { return static_cast<std::int64_t>(bytes.size()) / pto::instr::size_of(dtype); }
};

/// The descr that write_npy gives a file of that element type.
const char* npy_descr(pto::instr::DType);

/// Whether a file of that descr holds elements of that type: the type's own descr, or one of the spellings above.
bool npy_holds(const std::string& descr, pto::instr::DType);

/// Reads versions 1.0, 2.0 and 3.0, little-endian, C order. Throws std::invalid_argument that names the file, what is
/// there and what should be; allocates no more than the file has.
NpyArray read_npy(const std::string& path);

/// Writes version 1.0, or 2.0 where the header is too long for it; replaces the file. Throws std::invalid_argument when
/// an extent is negative, the bytes do not count in 63 bits, or the file cannot be written.
void write_npy(const std::string& path, pto::instr::DType, std::span<const std::int64_t> shape, const void* data);

}  // namespace ptox
