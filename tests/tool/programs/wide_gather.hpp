// SPDX-License-Identifier: Apache-2.0
// Constants that the kernel's file and its main share.
#pragma once

#include <cstdint>

constexpr int kBlocks = 3, kRows = 128, kCols = 160, kTable = 1000;

void launch_wide(float* out, float* table, int32_t* indices, bool declared, void* stream);
void launch_narrow(float* out, float* table, int32_t* indices, void* stream);
