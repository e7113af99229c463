// SPDX-License-Identifier: Apache-2.0
// Records the call that met an undefined index, until its stream is synchronised.
#pragma once

#include "cpu/ops_checks.hpp"
#include "cuda/kernels.hpp"

namespace ptox::cuda {

/// A place on the device for the first offence of this call, none yet.
Offence* note_call(const ptox::detail::Call&, Stream);

}  // namespace ptox::cuda
