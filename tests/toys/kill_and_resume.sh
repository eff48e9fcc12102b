#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Kills a checkpointed run of toys with SIGKILL at several moments and goes on
# each time; the result must be, bit for bit, that of a run left alone.
# Usage: kill_and_resume.sh ROOT PROGRAM
set -eu
root=${1:?folder of the project} program=${2:?the program gttf-design}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

toy() {
  "$program" toy --detector "$root/detectors/alice_its2.yaml" \
    --p 0.5GeV,5GeV --theta 90deg,60deg --toys 60000 --fits general,ms \
    --threads 2 --no-provenance --no-progress "$@"
}

# Some kills come before the first checkpoint, some while one is written (it
# is written all the time), most between two.
kills=0
resume_after_kills() {
  state=$1; shift
  for delay in 0.02 0.15 0.07 0.31 0.11 0.23; do
    toy --checkpoint "$state" --checkpoint-every 0 "$@" &
    pid=$!
    sleep "$delay"
    if kill -KILL "$pid" 2> kill.log; then
      kills=$((kills + 1))
    fi
    wait "$pid" || true
    # What is there is whole: a program that reads it finds no fault.
    if [ -f "$state" ] && [ "$(head -c 1 "$state")" != '{' ]; then
      echo "the checkpoint is damaged after $delay s"
      exit 1
    fi
  done
  toy --checkpoint "$state" "$@"
}

toy -o whole.json
resume_after_kills run.state -o resumed.json
cmp whole.json resumed.json
[ "$kills" -gt 0 ] || { echo 'no run was killed: it is too fast'; exit 1; }

# The same for a shard; and the parts are the whole.
toy --shard 1/2 -o part1.json
resume_after_kills shard.state --shard 2/2 -o part2.json
"$program" toy merge part1.json part2.json --no-provenance -o merged.json
cmp whole.json merged.json

# A finished checkpoint gives the result at once, again.
toy --checkpoint run.state -o again.json
cmp whole.json again.json
echo "killed $kills times; the result is always the same"
