// SPDX-License-Identifier: Apache-2.0
// The cases of MGATHER into L1, a macro of one line each, which kernel and main expand.
//
// CASE(name, element type, the host's type of equal size, coalesce, out of range, rows, columns, valid rows, table
// rows)
#pragma once

// Whether out is the NZ image of the valid rows; else it is row by row.
extern const bool kOutIsNz;

// clang-format off
#define MGATHER_L1_CASES(CASE)                                                  \
  CASE(float_row,      float,      float,    Row,  Undefined, 16, 32, 16, 40)   \
  CASE(float_rows_11,  float,      float,    Row,  Clamp,     16, 64, 11, 23)   \
  CASE(half_row,       half,       uint16_t, Row,  Wrap,      32, 48, 32, 19)   \
  CASE(bfloat16_row,   bfloat16_t, uint16_t, Row,  Zero,      48, 32, 37, 33)   \
  CASE(int8_row,       int8_t,     int8_t,   Row,  Zero,      16, 96, 16, 21)   \
  CASE(uint8_row,      uint8_t,    uint8_t,  Row,  Undefined, 16, 64,  1, 17)   \
  CASE(int16_row,      int16_t,    int16_t,  Row,  Clamp,     32, 16, 32, 15)   \
  CASE(uint16_row,     uint16_t,   uint16_t, Row,  Undefined, 16, 80, 16, 13)   \
  CASE(int32_row,      int32_t,    int32_t,  Row,  Wrap,      64,  8, 50, 11)   \
  CASE(uint32_row,     uint32_t,   uint32_t, Row,  Zero,      16, 40, 16,  9)   \
  CASE(float_elem,     float,      float,    Elem, Undefined, 16, 32, 16, 10)   \
  CASE(half_elem,      half,       uint16_t, Elem, Zero,      16, 32, 16, 11)   \
  CASE(bfloat16_elem,  bfloat16_t, uint16_t, Elem, Wrap,      16, 16, 16, 12)   \
  CASE(int8_elem,      int8_t,     int8_t,   Elem, Clamp,     16, 64, 16, 13)   \
  CASE(int32_elem,     int32_t,    int32_t,  Elem, Wrap,      32, 24, 32, 14)
// clang-format on
