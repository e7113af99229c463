// SPDX-License-Identifier: Apache-2.0
// Forwards the historic path.
#pragma once
#include "acl/acl_base.h"
