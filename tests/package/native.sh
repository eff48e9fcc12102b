#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fails unless GTTF_SIMD_X86=NATIVE, as ./start uses it, compiles the scalar
# kernels and those of the best level that PROGRAM, which has all, finds here.
# Usage: native.sh SOURCE PROGRAM GENERATOR COMPILER
set -eu
source=${1:?} program=${2:?} generator=${3:?} compiler=${4:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

best=$("$program" version | awk '$1 == "simd:" { print $NF }')
cmake -S "$source" -B "$work" -G "$generator" -D CMAKE_CXX_COMPILER="$compiler" \
  -D GTTF_APPS=OFF -D GTTF_TESTS=OFF -D GTTF_SIMD_X86=NATIVE \
  > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
found=$(cd "$work/lib/CMakeFiles" && echo gttf_kernels_*.dir)
expected=$(printf 'gttf_kernels_%s.dir\n' scalar "$best" | sort -u | xargs)
[ "$found" = "$expected" ] || {
  echo "NATIVE compiles $found, expected $expected"
  exit 1
}
