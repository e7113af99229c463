#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs NumPy and PyTorch for `ptox bench` from PyPI into a virtual environment in build/peers.
#
# usage: bench/peers.sh [REQUIREMENT...]     requirements of pip such as torch==2.4.1; without any: numpy torch
# The default wheels of torch for x86-64 contain CUDA's libraries: 5.4 GB on disk when this was written.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
place=$root/build/peers
wanted=("$@")
((${#wanted[@]})) || wanted=(numpy torch)
python3 -m venv "$place" || {
  echo "peers.sh: error: no virtual environment; on Debian: apt-get install python3-venv" >&2
  exit 1
}
for one in "${wanted[@]}"; do
  echo "peers.sh: installing $one in $place" >&2
  "$place/bin/pip" install --quiet --disable-pip-version-check --no-cache-dir "$one" ||
    echo "peers.sh: $one could not be installed; ptox bench leaves it out" >&2
done
"$place/bin/python" "$root/bench/peers.py" --versions
