#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the pipelines of docs/howto/ci: the commands in their files, with the
# original detector and with the change of the pull request.
# Usage: ci_example.sh ROOT PROGRAM
set -u
root=$(cd "${1:?folder of the project}" && pwd) || exit 2
program=${2:?path of gttf-design}
case $program in /*) ;; *) program=$PWD/$program ;; esac
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
mkdir "$work/bin"
ln -s "$program" "$work/bin/gttf-design"
status=0

fault() {
  echo "$*"
  status=1
}

# run PIPELINE DETECTOR STATUS: its gttf-design command in a separate folder
run() {
  repository=$work/$1-$2
  cp -R "$root/docs/howto/ci" "$repository"
  cp "$root/docs/howto/ci/$2.yaml" "$repository/tracker.yaml"
  command=$(sed -n 's/^ *\(- \|run: \)\(gttf-design check .*\)/\2/p' \
    "$root/docs/howto/ci/$1.yml")
  [ "$(echo "$command" | grep -c .)" = 1 ] ||
    fault "$1: has not one gttf-design command"
  (cd "$repository" && PATH=$work/bin:$PATH sh -c "$command") \
    > "$work/output" 2>&1
  got=$?
  [ "$got" = "$3" ] || {
    fault "$1: with $2.yaml status $got, not $3"
    sed 's/^/    /' "$work/output"
  }
}

# wrote FILE TEXT
wrote() {
  grep -qF "$2" "$repository/$1" || fault "$repository: no $2 in $1"
}

run github-workflow tracker 0
wrote check.md 'example tracker: 6 of 6 requirements met'
run github-workflow pull-request 1
wrote check.md 'layers[L0].material: 0.3 % -> 0.5 %'
wrote check.xml '<failure message="sigma_d0_um is '
grep -q '^::error file=tracker.yaml,line=13,col=15,' "$work/output" ||
  fault 'github-workflow: no annotation at the line of the change'

run gitlab-ci tracker 0
wrote gl-code-quality.json '[]'
run gitlab-ci pull-request 1
wrote gl-code-quality.json '"location": {"path": "tracker.yaml", "lines": {"begin": 13}}'
wrote check.xml '<failure message="sigma_d0_um is '
wrote check.md 'layers[L0].material: 0.3 % -> 0.5 %'

# The artifacts of GitLab are the files written by the command.
sed -n 's/^ *\(junit\|codequality\): //p' "$root/docs/howto/ci/gitlab-ci.yml" |
  while read -r file; do
    [ -s "$repository/$file" ] || echo "gitlab-ci: $file was not written"
  done > "$work/missing"
[ ! -s "$work/missing" ] || fault "$(cat "$work/missing")"

# The committed baseline is that of the files next to it, except for last
# digits,
# which are those of the compiler and of the order of operations.
(cd "$root/docs/howto/ci" && "$program" baseline study.yaml --quiet) |
  sed '/"provenance"/,/^  },/d' > "$work/now"
sed '/"provenance"/,/^  },/d' "$root/docs/howto/ci/baseline.json" > "$work/kept"
awk -F '[][ ,:{}]+' '
  NR == FNR { kept[FNR] = $0; n = FNR; next }
  {
    fields = split(kept[FNR], old)
    if (fields != NF) exit 1
    for (i = 1; i <= NF; ++i) {
      if (old[i] == $i) continue
      change = old[i] - $i
      size = $i < 0 ? -$i : $i
      if (change < 0) change = -change
      if (!(change <= 1e-9 * size)) exit 1
    }
  }
  END { if (FNR != n) exit 1 }' "$work/kept" "$work/now" ||
  fault 'baseline.json is out of date'
exit $status
