// SPDX-License-Identifier: Apache-2.0
// Which call met an index that nothing defines? Known when its stream is waited for.
#pragma once

#include "cpu/ops_checks.hpp"
#include "cuda/kernels.hpp"

namespace ptox::cuda {

/// A place on the device for the first offence of this call, none yet.
Offence* note_call(const ptox::detail::Call&, Stream);

}  // namespace ptox::cuda
