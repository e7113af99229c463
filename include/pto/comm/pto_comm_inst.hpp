// SPDX-License-Identifier: Apache-2.0
// Forwards a historic include path to pto-inst.hpp.
#pragma once
#include "pto/pto-inst.hpp"
