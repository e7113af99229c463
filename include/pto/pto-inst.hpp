// SPDX-License-Identifier: Apache-2.0
// Everything a kernel includes.
#pragma once

#include "pto/comm/all.hpp"
#include "pto/isa/all.hpp"
#include "pto/npu/memory_model.hpp"
