# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Options of the sanitizers' run-time libraries for the tests of the presets asan and tsan, to be sourced:
#   . tests/sanitizers/environment.sh && build/tsan/bin/ptox_tests
# A variable that is set already is kept.
sanitizers=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")

# MLIR and LLVM come compiled without sanitizers and share containers and arenas with ptox.
export ASAN_OPTIONS=${ASAN_OPTIONS-detect_container_overflow=0:allow_user_poisoning=0}
# Tests compare what the tool prints, so the sanitizer may not add a list of the suppressions that it used.
export LSAN_OPTIONS=${LSAN_OPTIONS-suppressions=$sanitizers/leaks.supp:print_suppressions=0}
export UBSAN_OPTIONS=${UBSAN_OPTIONS-print_stacktrace=1}
# Ranks that run as processes are forked from a process with several threads and then start threads of their own, which
# the thread sanitizer refuses unless die_after_fork is 0; it does not look for races in such a child. By default every
# program with more than one thread sleeps for a second before it exits; the tests start hundreds of programs.
export TSAN_OPTIONS=${TSAN_OPTIONS-halt_on_error=1:die_after_fork=0:atexit_sleep_ms=50:suppressions=$sanitizers/races.supp:print_suppressions=0}
# UCX, which Open MPI loads, replaces the first instructions of mmap and similar functions. In a program that is built
# with a sanitizer these are the sanitizer's own functions, shorter than what UCX writes, and the process crashes.
export UCX_MEM_MMAP_HOOK_MODE=${UCX_MEM_MMAP_HOOK_MODE-none}
unset sanitizers
