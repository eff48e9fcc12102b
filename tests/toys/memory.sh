#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The memory of a run of toys does not grow with their number and stays below
# 100 MB. Usage: memory.sh ROOT PROGRAM; 77: skipped, no /proc or with
# AddressSanitizer
set -eu
root=${1:?folder of the project} program=${2:?the program gttf-design}
[ -r /proc/self/status ] || { echo 'skipped: no /proc'; exit 77; }
# which keeps what was freed
if ldd "$program" | grep -q libasan; then
  echo 'skipped: AddressSanitizer'
  exit 77
fi

# peak N: the largest resident memory in kB seen while N toys are made
peak() {
  "$program" toy --detector "$root/detectors/alice_its2.yaml" --p 1GeV \
    --toys "$1" --fits general,ms --threads 2 --no-progress --quiet \
    --format csv > /dev/null &
  pid=$!
  most=0
  while now=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' \
      "/proc/$pid/status" 2> /dev/null) && [ -n "$now" ]; do
    most=$now
    sleep 0.02
  done
  wait "$pid"
  echo "$most"
}

few=$(peak 400000)
many=$(peak 4000000)
echo "400 000 toys: $few kB, 4 000 000 toys: $many kB"
# 2 MB of slack: the first number may be read before the last allocation
[ "$many" -lt 100000 ] && [ "$many" -lt $((few + 2000)) ]
