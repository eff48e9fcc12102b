#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds with counters, runs the tests and tells which lines of the library
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

# Columns: file, lines, lines reached, per cent, lines that are not.
gcovr --root . --filter 'lib/gttf/' --exclude-unreachable-branches \
  --sort-percentage --output "$build/lines.txt" "$build"
gcovr --root . --filter 'lib/gttf/' --html-details "$build/lines.html" "$build"
echo 'Reached least:'
grep '^lib/' "$build/lines.txt" | head -n 15
echo "All files: $build/lines.txt, with their text: $build/lines.html"
gcovr --root . --filter 'lib/gttf/' --print-summary --fail-under-line 90 \
  --output /dev/null "$build" | grep '^lines:'
