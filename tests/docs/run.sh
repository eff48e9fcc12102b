#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the commands of README.md and of the pages in docs/ and compares what
# they print. Usage: run.sh ROOT PROGRAM [PAGE...]
#
# The marks follow the language of a fenced block:
#   ```sh run            run it; must succeed
#   ```sh run exit=2     run it; must end with this status
#   ```sh run needs=jq   the same where the program jq is; left out elsewhere
#   ```sh run needs=python3:pandas   where python3 has the module pandas
#   ```sh run needs=explorer         where the program has the explorer's module
#   ```sh norun          only shown
#   ```yaml file=NAME    written to the file NAME (any language but cpp)
#   ```cpp from=PATH     must stand, indented or not, in that source file
#   ```cpp built         a program, which tests/downstream builds and runs
#   ```text              after a run block: what it prints, stdout and stderr;
#                        `...` matches any text, alone on a line any lines
# Commands in a page run in one folder, made for that page, with copies of
# detectors/, configs/, docs/howto/ci/ and docs/tutorial/ and with the program in PATH and as
# build/release/gttf-design. A block of sh or cpp without a mark is an error.
# An SVG that the commands of a page leave in its folder is the picture of that
# name in docs/images, if there is one; PICTURES=update makes it so.
set -u
root=$(cd "${1:?folder of the project}" && pwd) || exit 2
program=${2:?path of gttf-design}
shift 2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
status=0
blocks=0
left_out=0
case $program in /*) ;; *) program=$PWD/$program ;; esac
[ -x "$program" ] || { echo "$program: no such program"; exit 2; }

fault() {
  echo "$1: $2"
  status=1
}

# run_block PLACE STATUS: runs $work/blocks/N.sh, output to $work/output
run_block() {
  (cd "$folder" && PATH=$folder/build/release:$PATH \
    sh -e "$block" > "$work/output" 2>&1 < /dev/null)
  got=$?
  blocks=$((blocks + 1))
  [ "$got" = "$2" ] || {
    fault "$1" "ended with status $got, not $2"
    sed 's/^/    /' "$work/output"
    mark=failed # what it should print is then of no interest
  }
}

# is_there NEEDS: - or PROGRAM or PROGRAM:MODULE (of Python)
is_there() {
  if [ "$1" = explorer ]; then
    "$program" explore "$root/detectors/barrel.yaml" -o "$work/explorer.html" \
      > "$work/explorer" 2>&1 || ! grep -q 'without the module' "$work/explorer"
    return
  fi
  [ "$1" = - ] || {
    command -v "${1%:*}" > /dev/null &&
      { [ "${1#*:}" = "$1" ] || "${1%:*}" -c "import ${1#*:}" 2> /dev/null; }
  }
}

run_page() {
  page=$1
  folder=$work/page
  rm -rf "$folder" "$work/blocks"
  mkdir -p "$folder/build/release" "$work/blocks"
  for data in detectors configs docs/howto/ci docs/tutorial; do
    [ -d "$root/$data" ] || continue
    mkdir -p "$folder/$(dirname "$data")"
    cp -R "$root/$data" "$folder/$data"
  done
  ln -s "$program" "$folder/build/release/gttf-design"
  awk -v out="$work/blocks" -f "$here/split.awk" "$root/$page" \
    > "$work/list" || { status=1; return; }
  previous=
  while read -r number line language mark value needs; do
    block=$work/blocks/$number
    place=$page:$line
    is_there "$needs" || {
      echo "$place: left out, needs $needs"
      mark=norun
      left_out=$((left_out + 1))
    }
    case $language/$mark in
    sh/run) run_block "$place" "$value" ;;
    sh/norun | cpp/built) ;;
    sh/* | cpp/-) fault "$place" "a block of $language needs a mark, see tests/docs/run.sh" ;;
    cpp/from)
      awk -f "$here/contains.awk" "$block" "$root/$value" ||
        fault "$place" "differs from $value" ;;
    */file) mkdir -p "$(dirname "$folder/$value")" && cp "$block" "$folder/$value" ;;
    text/-)
      [ "$previous" != sh/run ] ||
        awk -f "$here/compare.awk" "$block" "$work/output" ||
        fault "$place" "prints something else" ;;
    */-) ;;
    *) fault "$place" "unknown mark $mark" ;;
    esac
    previous=$language/$mark
  done < "$work/list"
  for picture in "$folder"/*.svg; do
    shown=docs/images/${picture##*/}
    [ -f "$picture" ] && [ -f "$root/$shown" ] || continue
    [ "${PICTURES-}" != update ] || cp "$picture" "$root/$shown"
    # except for its provenance: the command and the hashes of its inputs
    sed '/^<metadata>/,/^<.metadata>/d' "$picture" > "$work/drawn"
    sed '/^<metadata>/,/^<.metadata>/d' "$root/$shown" |
      cmp -s - "$work/drawn" ||
      fault "$page" "$shown is not what its commands draw (PICTURES=update)"
  done
}

if [ $# = 0 ]; then
  set -- $(cd "$root" && find README.md docs detectors configs -name '*.md' \
    2> /dev/null | sort)
fi
for page; do run_page "$page"; done
echo "$# pages, $blocks blocks run, $left_out left out"
[ $# -gt 0 ] || status=1
exit $status
