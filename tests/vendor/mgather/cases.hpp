// SPDX-License-Identifier: Apache-2.0
// The cases of MGATHER, a macro of one line each, which kernel and main expand.
//
// CASE(name, element type, the host's type of equal size, index type, coalesce, out of range, rows, columns, table
// rows)
#pragma once

// clang-format off
#define MGATHER_CASES(CASE)                                                             \
  CASE(int8_row,       int8_t,     int8_t,   int32_t,  Row,  Undefined, 16, 64, 40)     \
  CASE(uint8_row,      uint8_t,    uint8_t,  uint32_t, Row,  Clamp,      8, 96, 33)     \
  CASE(int16_row,      int16_t,    int16_t,  int32_t,  Row,  Wrap,      16, 32, 50)     \
  CASE(uint16_row,     uint16_t,   uint16_t, uint32_t, Row,  Zero,      24, 48, 77)     \
  CASE(int32_row,      int32_t,    int32_t,  int32_t,  Row,  Clamp,      8, 40, 19)     \
  CASE(uint32_row,     uint32_t,   uint32_t, uint32_t, Row,  Undefined, 32, 16, 64)     \
  CASE(half_row,       half,       uint16_t, int32_t,  Row,  Zero,      16, 80, 21)     \
  CASE(bfloat16_row,   bfloat16_t, uint16_t, int32_t,  Row,  Wrap,       8, 64, 13)     \
  CASE(float_row,      float,      float,    int32_t,  Row,  Undefined, 16, 32, 65)     \
  CASE(float_row_wrap, float,      float,    uint32_t, Row,  Wrap,       8,  8,  7)     \
  CASE(int8_elem,      int8_t,     int8_t,   int32_t,  Elem, Zero,       8, 32,  9)     \
  CASE(uint8_elem,     uint8_t,    uint8_t,  uint32_t, Elem, Undefined,  4, 64, 10)     \
  CASE(int16_elem,     int16_t,    int16_t,  int32_t,  Elem, Clamp,      8, 16, 11)     \
  CASE(uint16_elem,    uint16_t,   uint16_t, uint32_t, Elem, Wrap,       8, 32, 12)     \
  CASE(int32_elem,     int32_t,    int32_t,  uint32_t, Elem, Zero,      16, 16, 13)     \
  CASE(uint32_elem,    uint32_t,   uint32_t, int32_t,  Elem, Clamp,      1, 64, 14)     \
  CASE(half_elem,      half,       uint16_t, int32_t,  Elem, Undefined,  8, 48, 15)     \
  CASE(bfloat16_elem,  bfloat16_t, uint16_t, uint32_t, Elem, Clamp,      5, 32, 16)     \
  CASE(float_elem,     float,      float,    int32_t,  Elem, Wrap,       7, 24, 17)

// Not on a2a3, which -DMEMORY_BASE names.
#define MGATHER_A5_CASES(CASE)                                                                \
  CASE(float8_e4m3_row,  float8_e4m3_t, uint8_t, int32_t,  Row,  Zero,      16, 64, 31)       \
  CASE(float8_e5m2_row,  float8_e5m2_t, uint8_t, uint32_t, Row,  Clamp,      8, 32, 30)       \
  CASE(hifloat8_row,     hifloat8_t,    uint8_t, int32_t,  Row,  Undefined,  8, 64, 29)       \
  CASE(float8_e4m3_elem, float8_e4m3_t, uint8_t, uint32_t, Elem, Wrap,       8, 32,  5)       \
  CASE(float8_e5m2_elem, float8_e5m2_t, uint8_t, int32_t,  Elem, Undefined,  8, 64,  6)       \
  CASE(hifloat8_elem,    hifloat8_t,    uint8_t, int32_t,  Elem, Zero,       4, 32,  7)
// clang-format on
