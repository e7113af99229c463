#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check.sh STEP: one check of the installed package, or of the tree as a whole. ROOT is the source tree and BUILD the build
# folder, both absolute. CTest runs the steps; "install" comes first, and "find_package" before the consumers of MPI.
set -euo pipefail
work=$BUILD/package
prefix=$work/prefix
tool=$prefix/bin/ptox

# configure_consumer NAME CMAKE_ARGUMENT...
configure_consumer() {
  rm -rf "${work:?}/$1"
  cmake -S "$ROOT/tests/consumer/$1" -B "$work/$1" -G Ninja -DCMAKE_CXX_COMPILER=g++ "${@:2}"
}

# The command fails, and prints one line that contains the text: fails_with TEXT COMMAND...
fails_with() {
  local said
  if said=$("${@:2}" 2>&1); then return 1; fi
  echo "$said"
  [[ $said == *"$1"* ]]
}

case $1 in
  # The prefix moves after the installation: the package must not contain the path that it was installed to.
  install)
    rm -rf "$work/staging" "$prefix"
    cmake --install "$BUILD" --prefix "$work/staging"
    mv "$work/staging" "$prefix"
    ;;
  "installed tool")
    "$tool" --version
    "$tool" bench --list
    ;;
  "installed c++ and check")
    "$tool" c++ "$ROOT"/tests/tool/programs/wide_gather_*.cpp -o "$work/wide_gather"
    "$tool" check --target all "$work/wide_gather"
    ;;
  # From another folder: the assembler must find its libraries by itself.
  "installed assembler")
    cd /
    "$tool" verify "$ROOT/examples/ping_pong.pto" --target a5
    "$tool" run "$ROOT/examples/ping_pong.pto" --arg pairs=4 --target a5
    ;;
  find_package)
    configure_consumer find_package "-DCMAKE_PREFIX_PATH=$prefix"
    cmake --build "$work/find_package"
    "$work/find_package/consumer"
    ;;
  "consumer of MPI") timeout -k 5 60 "$work/find_package/consumer_of_mpi" ;;
  # A program that uses Engine::mpi and does not link it prints how to get it.
  "consumer without MPI")
    fails_with "Link ptox::mpi" "$work/find_package/consumer_without_mpi"
    fails_with libopenmpi-dev "$work/find_package/consumer_without_mpi"
    ;;
  # The library was built before from the same sources: by default only the consumer is compiled against it.
  add_subdirectory)
    configure_consumer add_subdirectory -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON
    if [[ ${PTOX_FULL-} ]]; then
      cmake --build "$work/add_subdirectory"
      "$work/add_subdirectory/consumer"
    else
      cmake --build "$work/add_subdirectory" --target consumer_objects
    fi
    ;;
  # The MPI tests skip an MPI that is missing; ./test installs both.
  "both MPIs were found")
    for mpi in openmpi mpich; do
      grep -E "^PTOX_MPIRUN_$mpi:[A-Z]+=/" "$BUILD/CMakeCache.txt" || { echo "mpirun.$mpi was not found" && exit 1; }
    done
    ;;
  "the assembler was built")
    [[ $ASSEMBLER == ON || $ASSEMBLER == TRUE || $ASSEMBLER == 1 ]] || { echo "MLIR was not found" && exit 1; }
    ;;
  # The examples of the manuals stay as written; cases that must not compile keep their expectation on one line.
  format)
    cd "$ROOT"
    find bench include lib tools tests examples '(' -name '*.[hc]pp' -o -name '*.h' -o -name '*.cu' -o -name '*.cuh' ')' \
      -not -path 'tests/compile/*' -not -path 'tests/seeds/s[0-9]*' -print0 |
      xargs -0 clang-format-19 --dry-run -Werror
    ;;
  # The same files as in .pre-commit-config.yaml.
  spelling)
    cd "$ROOT"
    find . -type f -not -path './.git/*' -not -path './build/*' -not -path './tests/fuzz/corpus/*' -not -path ./LICENSE \
      -not -name '*.svg' -not -name '*.npy' -print0 |
      xargs -0 codespell --quiet-level 3 --ignore-words .codespell-ignore
    ;;
  # A build without MLIR has every other verb; the missing ones print one line that says how to get them.
  "tool without assembler")
    "$BUILD/bin/ptox" isa mgather
    fails_with "apt-get install libmlir-19-dev llvm-19-dev" "$BUILD/bin/ptox" run "$ROOT/examples/ping_pong.pto"
    [[ $("$BUILD/bin/ptox" run "$ROOT/examples/ping_pong.pto" 2>&1 | wc -l) == 1 ]]
    ;;
  *) echo "check.sh: unknown step $1" >&2 && exit 2 ;;
esac
