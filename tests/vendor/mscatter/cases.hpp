// SPDX-License-Identifier: Apache-2.0
// The cases of MSCATTER, a macro of one line each, which kernel and main expand.
//
// CASE(name, element type, the host's type of equal size, index type, coalesce, atomic operation, out of range, rows,
//      columns, table rows)
#pragma once

// clang-format off
#define MSCATTER_CASES(CASE)                                                                      \
  CASE(int8_row,       int8_t,     int8_t,     int32_t,  Row,  None, Undefined, 16, 64, 40)       \
  CASE(uint8_row,      uint8_t,    uint8_t,    uint32_t, Row,  None, Skip,       8, 96, 33)       \
  CASE(int16_row,      int16_t,    int16_t,    int32_t,  Row,  None, Clamp,     16, 32, 50)       \
  CASE(uint16_row,     uint16_t,   uint16_t,   uint32_t, Row,  None, Wrap,      24, 48, 77)       \
  CASE(int32_row,      int32_t,    int32_t,    int32_t,  Row,  None, Skip,       8, 40, 19)       \
  CASE(uint32_row,     uint32_t,   uint32_t,   uint32_t, Row,  None, Undefined, 32, 16, 64)       \
  CASE(half_row,       half,       aclFloat16, int32_t,  Row,  None, Wrap,      16, 80, 21)       \
  CASE(bfloat16_row,   bfloat16_t, HostBf16,   int32_t,  Row,  None, Clamp,      8, 64, 13)       \
  CASE(float_row,      float,      float,      int32_t,  Row,  None, Skip,      16, 32, 65)       \
  CASE(int8_elem,      int8_t,     int8_t,     int32_t,  Elem, None, Skip,       8, 32,  9)       \
  CASE(uint8_elem,     uint8_t,    uint8_t,    uint32_t, Elem, None, Clamp,      4, 64, 10)       \
  CASE(int16_elem,     int16_t,    int16_t,    int32_t,  Elem, None, Undefined,  8, 16, 11)       \
  CASE(uint16_elem,    uint16_t,   uint16_t,   uint32_t, Elem, None, Wrap,       8, 32, 12)       \
  CASE(int32_elem,     int32_t,    int32_t,    uint32_t, Elem, None, Skip,      16, 16, 17)       \
  CASE(uint32_elem,    uint32_t,   uint32_t,   int32_t,  Elem, None, Clamp,      1, 64, 14)       \
  CASE(half_elem,      half,       aclFloat16, int32_t,  Elem, None, Undefined,  8, 48, 15)       \
  CASE(bfloat16_elem,  bfloat16_t, HostBf16,   uint32_t, Elem, None, Skip,       5, 32, 16)       \
  CASE(float_elem,     float,      float,      int32_t,  Elem, None, Wrap,       7, 24, 17)       \
  CASE(int32_row_add,  int32_t,    int32_t,    int32_t,  Row,  Add,  Skip,      16, 16, 23)       \
  CASE(half_row_add,   half,       aclFloat16, uint32_t, Row,  Add,  Wrap,       8, 64, 24)       \
  CASE(bf16_row_add,   bfloat16_t, HostBf16,   int32_t,  Row,  Add,  Clamp,      8, 32, 25)       \
  CASE(float_row_add,  float,      float,      int32_t,  Row,  Add,  Undefined, 16, 64, 26)       \
  CASE(int32_elem_add, int32_t,    int32_t,    uint32_t, Elem, Add,  Wrap,       8, 16, 12)       \
  CASE(half_elem_add,  half,       aclFloat16, int32_t,  Elem, Add,  Undefined,  4, 32, 13)       \
  CASE(bf16_elem_add,  bfloat16_t, HostBf16,   uint32_t, Elem, Add,  Skip,       4, 16, 14)       \
  CASE(float_elem_add, float,      float,      int32_t,  Elem, Add,  Clamp,      8, 24, 15)

// Not on a5, which -DREGISTER_BASE names.
#define MSCATTER_A2A3_CASES(CASE)                                                                 \
  CASE(int8_row_add,   int8_t,     int8_t,     int32_t,  Row,  Add,  Skip,       8, 32, 20)       \
  CASE(int16_row_add,  int16_t,    int16_t,    uint32_t, Row,  Add,  Wrap,       8, 48, 21)       \
  CASE(int8_elem_add,  int8_t,     int8_t,     int32_t,  Elem, Add,  Wrap,       4, 32, 22)       \
  CASE(int16_elem_add, int16_t,    int16_t,    int32_t,  Elem, Add,  Skip,       4, 16, 23)

// Not on a2a3, which -DMEMORY_BASE names.
#define MSCATTER_A5_CASES(CASE)                                                                   \
  CASE(float8_e4m3_row,  float8_e4m3_t, uint8_t,  int32_t,  Row,  None, Skip,      16, 64, 31)    \
  CASE(float8_e5m2_row,  float8_e5m2_t, uint8_t,  uint32_t, Row,  None, Wrap,       8, 32, 30)    \
  CASE(hifloat8_row,     hifloat8_t,    uint8_t,  int32_t,  Row,  None, Undefined,  8, 64, 29)    \
  CASE(float8_e4m3_elem, float8_e4m3_t, uint8_t,  uint32_t, Elem, None, Clamp,      4, 32,  5)    \
  CASE(float8_e5m2_elem, float8_e5m2_t, uint8_t,  int32_t,  Elem, None, Undefined,  4, 64,  6)    \
  CASE(hifloat8_elem,    hifloat8_t,    uint8_t,  int32_t,  Elem, None, Skip,       4, 32,  7)    \
  CASE(uint32_row_add,   uint32_t,      uint32_t, int32_t,  Row,  Add,  Skip,       8, 16, 20)    \
  CASE(uint32_elem_add,  uint32_t,      uint32_t, uint32_t, Elem, Add,  Wrap,       8, 16, 21)    \
  CASE(int32_row_max,    int32_t,       int32_t,  int32_t,  Row,  Max,  Skip,       8, 16, 22)    \
  CASE(uint32_row_min,   uint32_t,      uint32_t, int32_t,  Row,  Min,  Clamp,      8, 16, 23)    \
  CASE(float_row_max,    float,         float,    uint32_t, Row,  Max,  Wrap,       8, 16, 24)    \
  CASE(int32_elem_min,   int32_t,       int32_t,  int32_t,  Elem, Min,  Skip,       8, 16, 25)    \
  CASE(uint32_elem_max,  uint32_t,      uint32_t, int32_t,  Elem, Max,  Undefined,  8, 16, 26)    \
  CASE(float_elem_min,   float,         float,    int32_t,  Elem, Min,  Clamp,      8, 16, 27)

// Only on cpu.
#define MSCATTER_CPU_CASES(CASE)                                                                  \
  CASE(uint8_row_add,  uint8_t,    uint8_t,    int32_t,  Row,  Add,  Skip,       8, 32, 20)       \
  CASE(uint16_elem_add, uint16_t,  uint16_t,   int32_t,  Elem, Add,  Wrap,       4, 16, 21)       \
  CASE(int8_row_min,   int8_t,     int8_t,     uint32_t, Row,  Min,  Clamp,      8, 32, 22)       \
  CASE(uint8_elem_max, uint8_t,    uint8_t,    int32_t,  Elem, Max,  Skip,       4, 32, 23)       \
  CASE(int16_row_max,  int16_t,    int16_t,    int32_t,  Row,  Max,  Undefined,  8, 16, 24)       \
  CASE(uint16_row_min, uint16_t,   uint16_t,   int32_t,  Row,  Min,  Wrap,       8, 16, 25)       \
  CASE(half_elem_max,  half,       aclFloat16, uint32_t, Elem, Max,  Skip,       4, 32, 26)       \
  CASE(bf16_row_min,   bfloat16_t, HostBf16,   int32_t,  Row,  Min,  Clamp,      8, 64, 27)
// clang-format on
