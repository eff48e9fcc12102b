#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a fuzz target and sums up what it did in one line: executions, edges of
# our code that were reached, CPU time, findings. The fuzzer measures only wall
# time: a slow input is a finding if it takes 1 s of CPU time.
# Usage: run.sh PROGRAM ARGUMENT...
set -u
program=${1:?fuzz target}
name=$(basename "$program")
log=$(mktemp)
trap 'rm -f "$log" "$log".*' EXIT
"$@" > "$log" 2>&1
status=$?
# Shows the whole log of a short run, and the findings and the end of a long
# one.
grep -v -e '^#[0-9]' -e '^	NEW_FUNC' "$log" | tail -n 200

slow=$(sed -n 's/.*Test unit written to \(.*-timeout-[0-9a-f]*\)$/\1/p' "$log")
if [ "$status" != 0 ] && [ -n "$slow" ]; then
  # 1 s for the input and 1 s for the start
  if (ulimit -t 2 && "$program" -timeout=0 "$slow") > "$log.again" 2>&1; then
    echo "$slow: slow only because other programs took the processor"
    rm -f "$slow"
    status=0
  fi
fi

runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
edges=$(sed -n 's/^#.*cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
times > "$log.times"  # second line: of the children, user and system
cpu=$(awk 'NR == 2 { n = 0
  for (i = 1; i <= 2; ++i) { split($i, t, "[ms]"); n += 60 * t[1] + t[2] }
  printf "%.0f", n }' "$log.times")
[ "$status" = 0 ] && findings=0 || findings=1
echo "figures: $name: ${runs:-?} executions, ${edges:-?} edges," \
  "$cpu s of CPU time, $findings findings"
exit "$status"
