// SPDX-License-Identifier: Apache-2.0
// A program outside this tree that needs only ptox::pto.
#include <pto/pto-inst.hpp>
#include <ptox/ptox.hpp>

int main() {
  ptox::Device dev(ptox::target::cpu);
  auto a = dev.alloc<float>(8);
  a.data()[7] = 1.0f;
  return a.data()[7] == 1.0f ? 0 : 1;
}
