#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Wall time of a whole scan as a process, start and CSV writing included: median
# of many runs. Usage: scan_time.sh PROGRAM DETECTOR [RUNS]
set -eu
program=${1:?path of gttf-design}
detector=${2:?a detector file}
runs=${3:-21}
csv=$(mktemp)
trap 'rm -f "$csv"' EXIT
trap 'exit 130' INT TERM HUP

i=0
while [ "$i" -lt "$runs" ]; do
  begin=$(date +%s%N)
  "$program" scan --detector "$detector" --p 0.1GeV:100GeV:60 \
    --eta 0:1.25:26 --format csv --quiet --no-progress > "$csv"
  end=$(date +%s%N)
  echo $(((end - begin) / 1000))
  i=$((i + 1))
done | sort -n | awk '
  { t[NR] = $1 }
  END {
    printf "%.1f ms median, %.1f ms fastest of %d runs\n",
      t[int((NR + 1) / 2)] / 1000, t[1] / 1000, NR
  }'
