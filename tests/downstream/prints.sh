#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a program and compares its output with the text that its page shows.
# Usage: prints.sh PROGRAM TEXT ROOT
output=$(mktemp) || exit 2
trap 'rm -f "$output"' EXIT
"$1" > "$output" 2>&1 || { echo "$1 ends with $?"; cat "$output"; exit 1; }
awk -f "$3/tests/docs/compare.awk" "$2" "$output"
