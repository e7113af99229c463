// SPDX-License-Identifier: Apache-2.0
// Records calls that use an undefined index, until their stream is synchronised.
#pragma once

#include "cuda/kernels.hpp"
#include "host/ops_checks.hpp"

namespace ptox::cuda {

/// Registers a call and returns its record in device memory, which is cleared on the stream.
Offence* note_call(const ptox::detail::Call&, Stream);

}  // namespace ptox::cuda
