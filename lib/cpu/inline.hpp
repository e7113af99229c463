// SPDX-License-Identifier: Apache-2.0
// What must be inlined whatever the compiler thinks of it? What is compiled for several instruction sets takes the
// flags of the function it ends up in.
#pragma once

#define PTOX_INLINE inline __attribute__((always_inline))
#define PTOX_INLINED __attribute__((always_inline))
