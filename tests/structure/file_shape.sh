#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fails on a source file without its head or a new entry at the top of the
# repository. Usage: file_shape.sh ROOT
#
# The head is the SPDX line and one sentence that describes the file. A .cpp
# with a header and a test need no sentence: it is in the header.
cd "${1:?folder of the project}" || exit 2
status=0
fault() {
  echo "$1: $2"
  status=1
}

# One awk for all files: thousands of processes would take ten seconds.
sources() { find lib apps tests -name '*.[ch]pp' "$@"; }
sources -print0 | sort -z | xargs -0 awk '
  function needs_sentence(file,    header, line, none) {
    if (file ~ /_test\.cpp$/) return 0
    if (file !~ /\.cpp$/) return 1
    header = file
    sub(/\.cpp$/, ".hpp", header)
    none = (getline line < header) < 0
    close(header)
    return none
  }
  function report() {
    if (!bad) return
    print file ":1: needs // SPDX-License-Identifier: Apache-2.0, then // one sentence"
    status = 1
  }
  FNR == 1 {
    report()
    file = FILENAME
    bad = 1  # without a second line
    first = $0 == "// SPDX-License-Identifier: Apache-2.0"
    next
  }
  FNR == 2 {
    bad = !first || needs_sentence(file) && $0 !~ /^\/\/ [A-Za-z].*[a-z]/
    nextfile
  }
  END {
    report()
    exit status
  }' || status=1
for file in $(sources -empty | sort); do fault "$file:1" "is empty"; done

for file in $(find . -name build -prune -o -name out -prune -o \
    \( -name '*.sh' -o -name '*.cmake' -o -name 'CMakeLists.txt' \) -print |
    sort) start .ci/run; do
  [ ! -f "$file" ] || head -n 2 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' ||
    fault "$file:1" "the SPDX line is missing in the first two lines"
done

# Untracked files (of a user) may be anywhere.
folders='apps|configs|detectors|docs|lib|tests'
files='CHANGELOG.md|CMakeLists.txt|CMakePresets.json|LICENSE|NOTICE|README.md|SECURITY.md|pyproject.toml|setup.py|start'
for entry in $(git ls-files 2>/dev/null | cut -d/ -f1 | sort -u |
    grep -Evx "[.].*|$folders|$files"); do
  fault "$entry" "does not belong to the top of the repository"
done
exit $status
