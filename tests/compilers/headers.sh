#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# headers.sh COMPILER: compiles every public header alone, and twice in one file, without a warning. Headers of pto/cuda
# are for nvcc only.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export compiler=$1 root

one() {
  printf '#include <%s>\n#include <%s>\n' "$1" "$1" |
    "$compiler" -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Werror -I "$root/include" -x c++ - || {
    echo "$compiler: $1 does not compile alone"
    return 1
  }
}
export -f one
cd "$root/include"
find . \( -name '*.h' -o -name '*.hpp' \) -not -path './pto/cuda/*' | sed 's,^\./,,' | sort |
  xargs -P "$(nproc)" -I {} bash -c 'one "$1"' _ {}
