#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# root.sh FOLDER SUITE PACKAGE...: makes a Debian root of that suite with the packages, for compilers that this system
# lacks. A root that exists already only receives the missing packages.
set -euo pipefail
folder=$1 suite=$2
shift 2
mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Label: Debian' 'Component: main' | head -n 1)

# or_show COMMAND...: the output goes to the log, of which the end is printed if the command fails.
or_show() {
  "$@" >>"$folder.log" 2>&1 </dev/null && return
  tail -n 20 "$folder.log"
  exit 1
}

if [[ ! -e $folder/.bootstrapped ]]; then
  rm -rf "$folder"
  mkdir -p "$folder"
  or_show debootstrap --variant=minbase "$suite" "$folder" "$mirror"
  touch "$folder/.bootstrapped"
fi
or_show chroot "$folder" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y install --no-install-recommends "$@"
