#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The installed headers are gttf/gttf.hpp and what it includes, and they stay
# few:
# at most 30, with at most 250 names at the scope of a namespace (functions of
# the same name count once, macros and forward declarations as well).
# Usage: public_headers.sh ROOT [list]   list: prints all headers and names
set -u
root=${1:?folder of the project}
most_headers=30
most_names=250
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$root/lib" || exit 2
status=0

# The closure of gttf/gttf.hpp, without missing files.
echo gttf/gttf.hpp > "$work/found"
: > "$work/closure"
while [ -s "$work/found" ]; do
  cat "$work/found" >> "$work/closure"
  sort -o "$work/closure" "$work/closure"
  sed -n 's/^#include "\(gttf\/.*\)"$/\1/p' $(cat "$work/found") | sort -u |
    comm -23 - "$work/closure" > "$work/next"
  mv "$work/next" "$work/found"
done
sed -n '/^set(GTTF_HEADERS/,/^)/s/^ *\(gttf\/.*\.hpp\)$/\1/p' CMakeLists.txt |
  sort > "$work/installed"
comm -13 "$work/installed" "$work/closure" > "$work/missing"
comm -23 "$work/installed" "$work/closure" > "$work/needless"
while read -r header; do
  echo "lib/CMakeLists.txt: GTTF_HEADERS lacks $header, which gttf/gttf.hpp includes"
  status=1
done < "$work/missing"
while read -r header; do
  echo "lib/CMakeLists.txt: gttf/gttf.hpp does not include $header"
  status=1
done < "$work/needless"

# Declarations at the scope of a namespace begin in the first column.
while read -r header; do
  awk -v header="$header" '
    function found(name) { if (name != "") print name, header }
    { sub(/\/\/.*/, "") }
    /^#define / { sub(/\(.*/, "", $2); found($2); next }
    /^(struct|class|enum) / {
      sub(/^(enum class|enum|struct|class) /, "")
      match($0, /^[A-Za-z_0-9]+/)
      found(substr($0, 1, RLENGTH))
      next
    }
    /^using / { found($2 == "namespace" ? "" : $2); next }
    /^(namespace|template|public|private|extern)/ { next }
    /^[A-Za-z_].*\(/ && !/=.*\(/ {
      sub(/ *\(.*/, "")
      match($0, /[A-Za-z_0-9=+*<>!-]+$/)
      found(substr($0, RSTART))
      next
    }
    /^[A-Za-z_].*[={]/ {
      sub(/ *[={].*/, "")
      sub(/\[.*/, "")
      match($0, /[A-Za-z_0-9]+$/)
      found(substr($0, RSTART))
    }' "$header"
done < "$work/closure" | sort -u > "$work/names"
headers=$(grep -c . "$work/closure")
names=$(cut -d' ' -f1 "$work/names" | sort -u | grep -c .)
if [ "${2:-}" = list ]; then
  cat "$work/names"
  echo "$headers headers, $names names"
fi
if [ "$headers" -gt $most_headers ]; then
  echo "$headers public headers, more than $most_headers: keep what users do not need out of them"
  status=1
fi
if [ "$names" -gt $most_names ]; then
  echo "$names names in public headers, more than $most_names: move to private headers what users do not need"
  status=1
fi
exit $status
