// SPDX-License-Identifier: Apache-2.0
// The main header for host programs: devices, whole-tensor operations, reports and targets.
#pragma once

#include "ptox/device.hpp"
#include "ptox/ops.hpp"
#include "ptox/report.hpp"
#include "ptox/target.hpp"
#include "ptox/ub_map.hpp"
