#!/bin/bash -eu
# SPDX-License-Identifier: Apache-2.0
# Builds the fuzz targets in $OUT in the layout of OSS-Fuzz: programs, libraries
# with seeds, dictionaries and options next to them. OSS-Fuzz sets CC, CXX, CFLAGS,
# CXXFLAGS, LIB_FUZZING_ENGINE, SRC, WORK and OUT; docs/developing/hardening.md
# states how to run this without it.

# Libraries of the distribution are built with its C++ library, not with libc++.
CXXFLAGS=${CXXFLAGS//-stdlib=libc++/}
export CXXFLAGS

prefix=$WORK/prefix
if [ -d "$SRC/yaml-cpp" ]; then
  cmake -S "$SRC/yaml-cpp" -B "$WORK/yaml-cpp" -G Ninja \
    -DCMAKE_BUILD_TYPE=None -DCMAKE_INSTALL_PREFIX="$prefix" \
    -DYAML_BUILD_SHARED_LIBS=OFF -DYAML_CPP_BUILD_TESTS=OFF \
    -DYAML_CPP_BUILD_TOOLS=OFF
  cmake --build "$WORK/yaml-cpp" --target install
fi

# shellcheck disable=SC2016  # $ORIGIN is for the loader
cmake -S "$SRC/gttf-design" -B "$WORK/gttf-design" -G Ninja \
  -DCMAKE_BUILD_TYPE=Debug -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_UNITY_BUILD=ON -DGTTF_APPS=OFF -DGTTF_TESTS=OFF -DGTTF_FUZZ=ON \
  -DGTTF_FUZZ_ENGINE="$LIB_FUZZING_ENGINE" \
  -DCMAKE_BUILD_RPATH='$ORIGIN/lib' -DCMAKE_BUILD_RPATH_USE_ORIGIN=ON
cmake --build "$WORK/gttf-design" ${JOBS:+-j "$JOBS"}

made=$WORK/gttf-design/tests/fuzz
mkdir -p "$OUT/lib"
cp "$SRC"/gttf-design/tests/fuzz/*.dict "$OUT/"
for options in "$made"/fuzz_*.options; do
  target=$(basename "$options" .options)
  cp "$options" "$made/$target" "$OUT/"
  zip -q -j -r "$OUT/${target}_seed_corpus.zip" "$made/seeds/${target#fuzz_}"
  # The machine that runs it has the C library only.
  ldd "$made/$target" | awk '$3 ~ /^\// { print $3 }' |
    grep -Ev '/(libc|libm|libpthread|libdl|librt)\.so' |
    while read -r library; do cp -n -L "$library" "$OUT/lib/"; done
done
