#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds what a release offers for this processor, on Debian as root: the
# package, the archive of the static program, the wheel for Debian's Python and
# the bill of materials.
# Usage: release.sh FOLDER
set -eu
cd -- "$(dirname -- "$0")/../.."
mkdir -p "${1:?folder for the files of the release}"
folder=$(cd -- "$1" && pwd)

./start setup
apt-get install -y --no-install-recommends dpkg-dev file pybind11-dev \
  python3-dev python3-numpy python3-pip python3-setuptools python3-wheel
cmake --workflow --preset package
cmake --workflow --preset static
sh tests/package/static.sh build/static/gttf-design-*.tar.gz
python3 -m pip wheel --no-build-isolation --no-deps -w "$folder" .
cp build/package/gttf-design_*.deb build/static/gttf-design-*.tar.gz "$folder"
processor=$(uname -m)
python3 apps/packaging/sbom.py "$folder"/*.deb "$folder"/*.tar.gz \
  "$folder"/*.whl > "$folder/gttf-design-$processor.spdx.json"
ls -l "$folder"
