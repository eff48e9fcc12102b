#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes docs/reference/verbs.md from the program's own help.
# Usage: docs/verbs.sh [--check] PROGRAM
#   --check  change nothing; fail if the page is not what the program says
set -eu
check=
[ "${1-}" != --check ] || { check=1; shift; }
program=${1:?path of gttf-design}
page=$(cd "$(dirname -- "$0")" && pwd)/reference/verbs.md
new=$(mktemp)
trap 'rm -f "$new"' EXIT
{
  cat << 'END'
# Verbs

What `gttf-design help` and `gttf-design help VERB` print, made by `docs/verbs.sh`; a test compares. What the options mean in more
words: [command line](cli.md).

```text
END
  "$program" help
  echo '```'
  for verb in $("$program" help |
      awk '/^Verbs:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }'); do
    printf '\n## %s\n\n```text\n' "$verb"
    "$program" help "$verb"
    echo '```'
  done
} > "$new"
if [ -z "$check" ]; then
  cp "$new" "$page"
elif ! diff "$page" "$new"; then
  echo "$page: not what the program says; run docs/verbs.sh PROGRAM"
  exit 1
fi
