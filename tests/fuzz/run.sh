#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a fuzz target and sums up what it did in one line: executions, edges of
# our code that were reached, CPU time, findings.
# Usage: run.sh PROGRAM ARGUMENT...
set -u
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$@" > "$log" 2>&1
status=$?
# A short run is read in full; of a long one what it found and the end.
grep -v -e '^#[0-9]' -e '^	NEW_FUNC' "$log" | tail -n 200

name=$(basename "$1")
runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
edges=$(sed -n 's/^#.*cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
times > "$log"  # second line: of the children, user and system
cpu=$(awk 'NR == 2 { n = 0
  for (i = 1; i <= 2; ++i) { split($i, t, "[ms]"); n += 60 * t[1] + t[2] }
  printf "%.0f", n }' "$log")
[ "$status" = 0 ] && findings=0 || findings=1
echo "figures: $name: ${runs:-?} executions, ${edges:-?} edges," \
  "$cpu s of CPU time, $findings findings"
exit "$status"
