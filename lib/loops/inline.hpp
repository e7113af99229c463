// SPDX-License-Identifier: Apache-2.0
// Macros for forced inlining: code that is compiled for several instruction sets has to be compiled with the flags of
// the function that contains it.
#pragma once

#define PTOX_INLINE inline __attribute__((always_inline))
#define PTOX_INLINED __attribute__((always_inline))
