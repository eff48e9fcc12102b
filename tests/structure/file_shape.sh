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

for file in $(find lib apps tests -name '*.[ch]pp' | sort); do
  sentence=1
  case $file in
    *_test.cpp) sentence=0 ;;
    *.cpp)
      name=$(basename "$file" .cpp)
      folder=$(dirname "$file")
      [ ! -f "$folder/$name.hpp" ] ||
        sentence=0
      ;;
  esac
  awk -v sentence=$sentence '
       NR == 1 && $0 != "// SPDX-License-Identifier: Apache-2.0" { bad = 1 }
       NR == 2 && sentence && $0 !~ /^\/\/ [A-Za-z].*[a-z]/ { bad = 1 }
       NR == 2 { exit }
       END { exit bad || NR < 2 }' "$file" ||
    fault "$file:1" "needs // SPDX-License-Identifier: Apache-2.0, then // one sentence"
done

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
