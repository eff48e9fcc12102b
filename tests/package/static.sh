#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Unpacks the archive of the static program, checks that it needs no other file
# and uses it as a user would. As root it also runs in a root folder that
# contains nothing else, like the container image.
# Usage: static.sh ARCHIVE [EMULATOR]
set -eu
archive=${1:?archive} emulator=${2-}
source=$(cd -- "$(dirname -- "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tar -xzf "$archive" -C "$folder" --strip-components=1
program=$folder/bin/gttf-design
if readelf -Wl "$program" | grep -q INTERP ||
    readelf -Wd "$program" | grep -q NEEDED; then
  echo "static: $program needs shared libraries" >&2
  exit 1
fi
if [ -n "$emulator" ]; then
  "$emulator" "$program" scan alice_its2 --p 1GeV --theta 90deg
  exit
fi
sh "$source/tests/package/installed.sh" "$folder"
if [ "$(id -u)" = 0 ] && command -v chroot > /dev/null; then
  mkdir "$folder/usr" "$folder/data"
  mv "$folder/bin" "$folder/share" "$folder/usr"
  cp "$source/detectors/barrel.yaml" "$folder/data/my.yaml"
  # without /proc the program cannot find the files next to it
  chroot "$folder" /usr/bin/gttf-design scan data/my.yaml --p 1GeV \
    -o data/out.csv --quiet
  test -s "$folder/data/out.csv"
fi
echo "static: $archive is complete"
