// SPDX-License-Identifier: Apache-2.0
// All of the ACL runtime.
#pragma once

#include "acl/acl_base.h"
#include "acl/acl_rt.h"
