// SPDX-License-Identifier: Apache-2.0
// Everything a host program includes.
#pragma once

#include "ptox/device.hpp"
#include "ptox/ops.hpp"
#include "ptox/report.hpp"
#include "ptox/target.hpp"
#include "ptox/ub_map.hpp"
