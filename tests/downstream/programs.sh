#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes each block "cpp built" of README.md and docs/ to the folder OUT, and the
# text block after it, which is what the program prints, next to it.
# Usage: programs.sh ROOT OUT
set -u
root=${1:?folder of the project}
out=${2:?folder to write to}
rm -rf "$out"
mkdir -p "$out" || exit 2
for page in "$root/README.md" $(find "$root/docs" -name '*.md' | sort); do
  mkdir "$out/blocks"
  name=$(basename "$page" .md)
  previous=
  awk -v out="$out/blocks" -f "$root/tests/docs/split.awk" "$page" > "$out/list" ||
    exit 2
  while read -r number line language mark rest; do
    case $language/$mark in
      cpp/built)
        cp "$out/blocks/$number" "$out/${name}_$line.cpp" || exit 2
        previous=${name}_$line
        ;;
      text/-)
        [ -z "$previous" ] || cp "$out/blocks/$number" "$out/$previous.txt"
        previous=
        ;;
      *) previous= ;;
    esac
  done < "$out/list"
  rm -r "$out/blocks" "$out/list"
done
ls "$out"/README_*.cpp > /dev/null
