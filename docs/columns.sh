#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes the tables of columns in docs/reference/columns.md and toys.md, and the
# JSON Schema of the rows, from the columns as the library has them.
# Usage: docs/columns.sh [--check] COLUMNS_PAGE
#   COLUMNS_PAGE  the program tests/columns_page of a build with tests
#   --check       change nothing; fail if a page is not what the library says
set -eu
check=
[ "${1-}" != --check ] || { check=1; shift; }
program=${1:?path of columns_page}
reference=$(cd "$(dirname -- "$0")" && pwd)/reference
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A table stands between <!-- columns: NAME --> and <!-- end of columns -->.
for page in columns.md toys.md; do
  awk -v program="$program" '
    /^<!-- end of columns -->$/ { skip = 0 }
    !skip
    /^<!-- columns: [a-z_]+ -->$/ {
      print ""
      call = "\"" program "\" " $3
      while ((call | getline line) > 0) print line
      if (close(call) != 0) exit 1
      print ""
      skip = 1
    }' "$reference/$page" > "$work/$page"
done
mkdir "$work/schema"
"$program" --schema > "$work/schema/results.json"

faults=0
for page in columns.md toys.md schema/results.json; do
  if [ -z "$check" ]; then
    cp "$work/$page" "$reference/$page"
  elif ! diff "$reference/$page" "$work/$page"; then
    echo "$reference/$page: not what the library says; run docs/columns.sh"
    faults=1
  fi
done
exit "$faults"
