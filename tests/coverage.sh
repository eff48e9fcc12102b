#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds with counters, runs the tests and prints which lines of the library
# they reach: the sum, and the files that are reached least. Fails below 90 %.
# Usage: tests/coverage.sh [--report]    --report: do not build and run again
set -eu
cd "$(dirname -- "$0")/.."
command -v gcovr > /dev/null || { echo 'coverage.sh: needs gcovr' >&2; exit 2; }
build=build/coverage

if [ "${1-}" != --report ]; then
  cmake --preset coverage
  cmake --build --preset coverage
  find "$build" -name '*.gcda' -delete  # of earlier runs
  ctest --preset coverage
fi

status=0
gcovr --root . --filter 'lib/gttf/' --exclude-unreachable-branches \
  --txt "$build/lines.txt" --csv "$build/lines.csv" \
  --html-details "$build/lines.html" --print-summary --fail-under-line 90 \
  "$build" > "$build/summary.txt" || status=$?
echo 'Reached least (file, lines, lines reached, part):'
grep '^lib/' "$build/lines.csv" | cut -d , -f 1-4 | sort -t , -k 4,4n |
  head -n 15
echo "All files: $build/lines.txt, with their text: $build/lines.html"
grep '^lines:' "$build/summary.txt"
exit "$status"
