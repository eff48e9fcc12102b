#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes docs/reference/verbs.md from the program's own help.
# Usage: docs/verbs.sh [--check] PROGRAM
#   --check  change nothing; fail if the page differs from the output of the program
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

The output of `gttf-design help` and `gttf-design help VERB`, written by `docs/verbs.sh` and checked by a test. The options are explained in more
detail under [command line](cli.md).

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
  echo "$page: differs from the output of the program; run docs/verbs.sh PROGRAM"
  exit 1
fi
