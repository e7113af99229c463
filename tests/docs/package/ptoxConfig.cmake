# SPDX-License-Identifier: Apache-2.0
# Stands in for an installed ptox where a page of the manual shows find_package; tests/consumer uses a real one.
find_package(Threads REQUIRED)
add_library(ptox::pto STATIC IMPORTED)
set_target_properties(ptox::pto PROPERTIES
  IMPORTED_LOCATION $ENV{PTOX_LIBRARY}
  INTERFACE_INCLUDE_DIRECTORIES $ENV{PTOX_SOURCE_DIR}/include
  INTERFACE_COMPILE_FEATURES cxx_std_20
  INTERFACE_LINK_LIBRARIES Threads::Threads)
