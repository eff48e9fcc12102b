#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Kills a checkpointed run of toys with SIGKILL at several moments and continues
# it each time; the result must be, bit for bit, that of an undisturbed run.
# Usage: kill_and_resume.sh ROOT PROGRAM
set -eu
root=${1:?folder of the project} program=${2:?the program gttf-design}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# In the background the program runs directly, not in a shell, so that it
# receives the kill.
exec_toy() {
  exec "$program" toy --detector "$root/detectors/alice_its2.yaml" \
    --p 0.5GeV,5GeV --theta 90deg,60deg --toys 60000 --fits general,ms \
    --threads 2 --no-provenance --no-progress "$@"
}
toy() { (exec_toy "$@"); }

# Some kills come at the very start, the others after a checkpoint was there
# (it is written all the time): while it is written or between two.
kills=0
resume_after_kills() {
  state=$1
  shift
  for delay in 0.02 0.03 0.00 0.11 0.07 0.19; do
    exec_toy --checkpoint "$state" --checkpoint-every 0 "$@" &
    pid=$!
    tries=0
    while [ "$delay" != 0.02 ] && [ ! -f "$state" ] && [ "$tries" -lt 500 ]
    do
      sleep 0.02
      tries=$((tries + 1))
    done
    sleep "$delay"
    if kill -KILL "$pid" 2> kill.log; then
      kills=$((kills + 1))
    fi
    wait "$pid" || true
  done
  [ -f "$state" ] || { echo 'there never was a checkpoint'; exit 1; }
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
