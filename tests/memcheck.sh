#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs each verb once in Valgrind's memcheck: uninitialised values, and memory leaks. AddressSanitizer does not detect the former.
# Usage: tests/memcheck.sh PROGRAM [VERB...]
set -u
program=$(realpath "${1:?the program gttf-design}") || exit 2
shift
root=$(cd "$(dirname -- "$0")/.." && pwd) || exit 2
command -v valgrind > /dev/null || { echo 'skipped: no valgrind'; exit 77; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
cd "$work" || exit 2
wanted=" $* "
status=0
fault=99  # of no verb

# memcheck ARGUMENT...: the program must end well and without a report
memcheck() {
  case $wanted in *"  "* | *" $1 "*) ;; *) return ;; esac
  if valgrind --quiet --error-exitcode=$fault --leak-check=full \
    --errors-for-leak-kinds=definite --log-file="$work/log" \
    "$program" "$@" > out 2>&1
  then
    echo "$1: no report"
  else
    echo "FAILED with $?: gttf-design $*"
    head -n 60 "$work/log" out
    status=1
  fi
}

detectors=$root/detectors
barrel=$detectors/barrel.yaml
track='--p 1GeV --theta 70deg'
grid='--p 1GeV,10GeV --theta 40deg,80deg'

# The options are words.
# shellcheck disable=SC2086
{
  memcheck validate "$barrel" "$root/configs/cld.yaml"
  memcheck show "$barrel"
  memcheck resolve "$barrel" $track
  memcheck scan "$barrel" $grid --engine triplet
  memcheck scan "$barrel" $grid --energy-loss straggling --particle pion
  memcheck scan "$barrel" $grid --shard 1/1 -o part.csv
  memcheck scan merge part.csv -o all.csv
  memcheck sweep "$barrel" $grid --vary field.solenoid=-1T,1T,2T \
    --reduce mean -o sweep.csv
  memcheck decay 'J/psi -> mu+ mu-' "$barrel" --p 3GeV --configurations 8 \
    --toys 8 --sqrt-s 10GeV -o decay.csv
  memcheck regimes "$barrel" $grid
  memcheck budget "$barrel" $track -o budget.json
  memcheck sensitivity "$barrel" $track
  memcheck compare "$barrel" "$barrel" $track
  memcheck toy "$barrel" $track --toys 20 --threads 2 --checkpoint state \
    -o toys.json
  memcheck toy merge state
  memcheck fit "$detectors/alice_its2.yaml" "$root/configs/its2-hits.csv" \
    --threads 2
  memcheck baseline "$barrel" $grid -o baseline.json
  memcheck check "$root/configs/check/cld.yaml" --junit junit.xml
  memcheck plot "$barrel" --p 1GeV,10GeV --theta 80deg -o figure.svg
  memcheck report "$barrel" --p 1GeV,10GeV --theta 80deg -o report.html
  memcheck export "$barrel" --to delphes --lossy -o card.tcl
  memcheck import card.tcl -o back.yaml
  memcheck completion bash
  memcheck help scan
}
exit $status
