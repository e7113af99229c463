// SPDX-License-Identifier: Apache-2.0
// What do AICORE, __global__ and the other words before a kernel's name mean to this compiler?
//
// nvcc compiles for accelerators: what a kernel calls is device code there. Its own entry into a block is written with
// attributes, so that a kernel's __global__ is free to mean nothing.
#pragma once

#undef __global__
#define __global__
#define __gm__
#define __in__
#define __out__
#define __ubuf__
#define __cbuf__
#define __tf__

#ifdef __CUDACC__
#define AICORE __attribute__((device))
#define PTO_EITHER __attribute__((host)) __attribute__((device))
#define PTO_INTERNAL __attribute__((device)) __attribute__((always_inline)) inline
#else
#define AICORE
#define PTO_EITHER
#define PTO_INTERNAL inline
#endif
#define __aicore__ AICORE
#define PTO_INST AICORE inline
#define PTO_INLINE AICORE inline
