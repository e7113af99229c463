// SPDX-License-Identifier: Apache-2.0
// What does a .pto file compute?
#include <iostream>

#include "asm/input.hpp"

namespace ptox::tool {

namespace {

int run(Arguments) { return std::cerr << "ptox run: not there yet\n", usage; }

}  // namespace

const Verb run_verb{"run", "run a .pto file", "usage: ptox run FILE\n", run};

}  // namespace ptox::tool
