// SPDX-License-Identifier: Apache-2.0
// Reads and writes arrays in the .npy format of NumPy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pto/tile/dtype.hpp"
#include "pto/tile/version.hpp"

namespace ptox {

// NumPy has no bf16, no 8-bit floats and no hif8: bf16 is stored as uint16 with the same bits ('<u2'), the others as
// uint8 ('|u1'). All other types are NumPy's own; f16 is '<f2'. Files written with the types of ml_dtypes can be read
// as well: '<V2' is bf16, '|V1' any of the 8-bit floats, '<f1' f8e5m2.

/// An array as stored in its file, in C order.
struct NpyArray {
  pto::instr::DType dtype = pto::instr::DType::u8;  ///< as stored: the bits of a type that NumPy lacks are u16 or u8
  std::string descr = "|u1";                        ///< NumPy's name of the type, as written in the file
  std::vector<std::int64_t> shape;                  ///< empty: one element
  std::vector<std::byte> bytes;

  std::int64_t count() const { return static_cast<std::int64_t>(bytes.size()) / pto::instr::size_of(dtype); }
};

/// The descr that write_npy gives a file of that element type.
[[nodiscard]] const char* npy_descr(pto::instr::DType);

/// Whether a file with that descr can be read as elements of that type: it is the type's own descr or one of the
/// alternatives listed above.
[[nodiscard]] bool npy_holds(const std::string& descr, pto::instr::DType);

/// Reads versions 1.0, 2.0 and 3.0, little-endian, C order. Throws std::invalid_argument with the file, the actual and
/// the required content; allocates at most the size of the file.
[[nodiscard]] NpyArray read_npy(const std::string& path);

/// Writes version 1.0, or 2.0 where the header is too long for it; replaces the file. Throws std::invalid_argument when
/// an extent is negative, the number of bytes needs more than 63 bits, or the file cannot be written.
void write_npy(const std::string& path, pto::instr::DType, std::span<const std::int64_t> shape, const void* data);

}  // namespace ptox
