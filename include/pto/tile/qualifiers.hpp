// SPDX-License-Identifier: Apache-2.0
// The qualifiers of kernels and their pointers (AICORE, __global__, __gm__, ...), for each compiler.
//
// Sources written for NPUs mark kernels with __global__. Here a kernel is an ordinary function, so the qualifier
// expands to nothing. In a file that nvcc compiles this would also turn native CUDA kernels into ordinary functions.
// There, PTO_CUDA_KERNEL marks a native kernel; if PTO_KEEP_GLOBAL is defined before the first header of PTO,
// __global__ keeps its meaning, and kernels of PTO are written without it.
#pragma once

#ifndef PTO_KEEP_GLOBAL
#undef __global__
#define __global__
#endif
#define __gm__
#define __in__
#define __out__
#define __ubuf__
#define __cbuf__
#define __tf__

#ifdef __CUDACC__
#define PTO_CUDA_KERNEL __attribute__((global))
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
