// SPDX-License-Identifier: Apache-2.0
// The version of the headers as a symbol: an object links only with the library of the same version.
#pragma once

namespace ptox {

/// Defined by the library. The name has the version of CMakeLists.txt; a release changes both.
extern const char headers_of_version_0_1_0;

namespace {
// Every object that includes this header refers to the symbol.
[[gnu::used]] const char* const version_of_this_object = &headers_of_version_0_1_0;
}  // namespace

}  // namespace ptox
