// SPDX-License-Identifier: Apache-2.0
#include "pto/tile/version.hpp"

namespace ptox {

const char headers_of_version_0_1_0 = 0;

}  // namespace ptox
