#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Counts the instructions of a few kernels, which no other load on the machine
# changes, and compares them with instructions.txt; fails if one has grown by
# more than 5 %. Counts of another compiler are not comparable: skipped.
# Usage: instructions.sh KERNELS COMPILER [--update]
set -eu
kernels=${1:?the program kernels}
compiler=${2:?name and version of the compiler}
file=$(dirname -- "$0")/instructions.txt
command -v valgrind > /dev/null || { echo 'skipped: no valgrind'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# count KERNEL REPETITIONS
count() {
  valgrind --tool=callgrind --callgrind-out-file="$work/out" \
    "$kernels" "$1" "$2" > /dev/null 2> "$work/log" ||
    { cat "$work/log"; exit 1; }
  sed -n 's/^summary: *//p; s/^totals: *//p' "$work/out" | head -n 1
}

names=$("$kernels")
{
  echo "# Instructions per repetition (tests/bench/kernels.cpp), AVX2 code."
  echo "compiler $compiler"
  for kernel in $names; do
    # what starting takes is in both
    few=$(count "$kernel" 2)
    many=$(count "$kernel" 12)
    echo "$kernel $(((many - few) / 10))"
  done
} > "$work/new"

if [ "${3-}" = --update ]; then
  cp "$work/new" "$file"
  cat "$file"
  exit
fi
grep -Fqx "compiler $compiler" "$file" || {
  echo "skipped: $file is of another compiler than $compiler"
  exit 77
}
awk '
  /^#/ || $1 == "compiler" { next }
  NR == FNR { old[$1] = $2; next }
  {
    change = $1 in old ? 100 * ($2 / old[$1] - 1) : 0
    printf "%-20s %10d %+6.1f %%\n", $1, $2, change
    if (change > 5) {
      printf "warning: %s takes %.1f %% more instructions than on file\n",
        $1, change
      grown = 1
    }
  }
  END { exit grown }' "$file" "$work/new"
