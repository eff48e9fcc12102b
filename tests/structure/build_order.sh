#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fails if a generated source waits for another target: all objects of its target
# would wait as well, and processors be idle until the last object before them is
# compiled. Reads the rules of Ninja, where these are order-only dependencies.
# Usage: build_order.sh BUILD
set -u
rules=${1:?folder of the build}/build.ninja
[ -f "$rules" ] || { echo 'skipped: not a build with Ninja'; exit 77; }
generated='^build [^:]*[.]cpp[^:]*: CUSTOM_COMMAND'
grep -q "$generated" "$rules" || {
  echo "$rules generates no source: does this check see any?"
  exit 1
}
if grep -q "$generated.* || " "$rules"; then
  sed -n "/$generated/"'s/^build \([^ ]*\).* || /\1 waits for /p' "$rules"
  exit 1
fi
