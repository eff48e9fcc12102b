#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Keeps what fuzzing has found interesting: of seeds and corpus of each target
# the fewest, smallest inputs that reach all edges, in corpus/TARGET.tar.xz.
# Usage: pack.sh BUILD [TARGET...]    BUILD: folder of the preset fuzz
set -eu
build=$(realpath "${1:?folder of the preset fuzz}")/tests/fuzz
shift
here=$(cd "$(dirname -- "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$here/corpus"
[ $# -gt 0 ] || set -- $(cd "$build/corpus" && ls)
for target in "$@"; do
  longest=$(sed -n 's/^max_len = //p' "$build/fuzz_$target.options")
  mkdir "$work/$target"
  "$build/fuzz_$target" -merge=1 -set_cover_merge=1 -max_len="$longest" \
    "$work/$target" "$build/corpus/$target" "$build/seeds/$target" \
    > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  # The same inputs make the same archive.
  tar -C "$work/$target" --sort=name --mtime=@0 --owner=0 --group=0 \
    --numeric-owner --mode=0644 -cJf "$here/corpus/$target.tar.xz" .
  echo "$target: $(find "$work/$target" -type f | wc -l) inputs," \
    "$(wc -c < "$here/corpus/$target.tar.xz") bytes"
done
