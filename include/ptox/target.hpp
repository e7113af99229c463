// SPDX-License-Identifier: Apache-2.0
// Machines as data, for programs that choose a target.
#pragma once

#include "pto/tile/target.hpp"
