# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Functions that ./ptox and ./test share: packages, locks, configuration.

say() { echo "${0##*/}: $*" >&2; }

# A package with a command counts as installed if the command is in PATH, other packages if dpkg lists them.
declare -gA command_of=([g++]=g++ [cmake]=cmake [ninja-build]=ninja [clang-14]=clang++-14 [clang-19]=clang++-19 [python3]=python3
  [g++-aarch64-linux-gnu]=aarch64-linux-gnu-g++ [qemu-user-static]=qemu-aarch64-static)

# Packages for building the tool.
# shellcheck disable=SC2034 # for those who source this
tool_packages=(g++ cmake ninja-build libcli11-dev nlohmann-json3-dev)

# The oldest clang that compiles kernels and that this system has: 14 on Debian 12, where it is the default clang.
# shellcheck disable=SC2034
oldest_clang=clang-19
if [[ $(. /etc/os-release && echo "${VERSION_CODENAME-}") == bookworm ]]; then oldest_clang=clang-14; fi

# Other compilers that the public headers support: packages of this system, and of Debian 13 for those it lacks.
# shellcheck disable=SC2034
other_compilers=(g++-13 g++-14 clang-17 clang-18) debian_13_compilers=()
# shellcheck disable=SC2034
if [[ $oldest_clang == clang-14 ]]; then
  other_compilers=(clang-15 clang-16) debian_13_compilers=(g++-13 g++-14 clang-17 clang-18)
fi

# Packages for building run, verify and emit.
# shellcheck disable=SC2034 # for those who source this
assembler_packages=(libmlir-19-dev llvm-19-dev)

# Packages for testing Engine::mpi.
# shellcheck disable=SC2034
mpi_packages=(libopenmpi-dev openmpi-bin libmpich-dev mpich)

have_package() {
  if [[ -n ${command_of[$1]-} ]]; then
    command -v "${command_of[$1]}" >/dev/null
  else
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
  fi
}

# install_packages PACKAGE...: installs those that are missing; fails with a sentence that names them.
install_packages() {
  local package missing=()
  for package; do have_package "$package" || missing+=("$package"); done
  ((${#missing[@]})) || return 0
  say "installing Debian packages: ${missing[*]}"
  if { ((EUID == 0)) || command -v sudo >/dev/null; } && command -v apt-get >/dev/null; then
    apt_get update || say "the package lists could not be updated; trying with those at hand"
    apt_get install --no-install-recommends "${missing[@]}" && return
  fi >&2
  say "error: missing packages could not be installed; as root: apt-get install ${missing[*]}"
  return 1
}

apt_get() {
  local as_root=()
  if ((EUID)); then as_root=(sudo); fi
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=120 "$@" </dev/null
}

# hold_lock FILE: one build at a time in a directory; held until fd 9 closes.
hold_lock() {
  mkdir -p "$(dirname "$1")" && : >>"$1" || return
  exec 9>>"$1"
  flock -n 9 && return
  say "waiting for another build to finish"
  flock 9
}

# configure BUILD_DIR CMAKE_ARGUMENT...: quiet unless it fails. A directory that was moved or copied starts afresh.
configure() {
  local cache=$1/CMakeCache.txt fresh=() log
  if [[ -f $cache ]] && ! grep -qxF "CMAKE_CACHEFILE_DIR:INTERNAL=$1" "$cache"; then fresh=(--fresh); fi
  log=$(cmake -B "$1" "${fresh[@]}" "${@:2}" 2>&1 </dev/null) && return
  echo "$log" >&2
  return 1
}
