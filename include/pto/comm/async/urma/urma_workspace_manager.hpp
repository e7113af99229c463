// SPDX-License-Identifier: Apache-2.0
// Forwards the historic path.
#pragma once
#include "pto/comm/async.hpp"
