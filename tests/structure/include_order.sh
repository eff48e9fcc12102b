#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fails if a stage includes a later one, or a third-party header leaves its
# fence. Usage: include_order.sh ROOT
cd "${1:?folder of the project}" || exit 2

# Each stage and the other stages it may include; the order is that of the data flow. output converts tables to text and uses no physics types.
stages='core:
config: core
detector: core config
trajectory: core config detector
fit: core config detector trajectory
paper: core config detector trajectory fit
resolution: core config detector trajectory fit
kernels: core config detector trajectory fit resolution
study: core config detector trajectory fit resolution
output: core config'

# Third-party headers and the only paths (extended regular expressions) that
# may include them.
fences='^yaml-cpp/ ^lib/gttf/config/node[.]cpp$
^nlohmann/ ^(lib/gttf/(output/[^/]*|detector/import/json_text)[.]cpp|tests/.*)$
^CLI/ ^apps/command_line[.]cpp$
^pybind11/ ^apps/python/
^Random123/ ^lib/gttf/core/random(_words[.]hpp|[.]cpp)$
^dragonbox/ ^lib/gttf/output/number[.]cpp$
^nettle/ ^lib/gttf/config/sha256[.]cpp$
^zlib[.]h ^lib/gttf/output/npz[.]cpp$
^boost/ ^tests/
^benchmark/ ^tests/bench/
^doctest/ ^tests/'

find lib apps tests -name '*.[ch]pp' ! -path '*/structure/*' | sort |
  STAGES=$stages FENCES=$fences xargs awk '
  BEGIN {
    n = split(ENVIRON["STAGES"], line, "\n")
    for (i = 1; i <= n; i++) {
      m = split(line[i], word, /[: ]+/)
      known[word[1]] = 1
      for (j = 1; j <= m; j++) allowed[word[1], word[j]] = 1
    }
    fences = split(ENVIRON["FENCES"], line, "\n")
    for (i = 1; i <= fences; i++) {
      split(line[i], fence)
      header[i] = fence[1]
      where[i] = fence[2]
    }
  }
  function fault(text) {
    printf "%s:%d: %s\n", FILENAME, FNR, text
    faults++
  }
  FNR == 1 {
    files++
    split(FILENAME, part, "/")
    stage = FILENAME ~ /^lib\/gttf\/[^\/]+\// ? part[3] : ""
    if (stage != "" && !(stage in known))
      fault("unknown stage " stage " (add it to include_order.sh)")
  }
  /^[ \t]*#[ \t]*include[ \t]*[<"]/ {
    included = $0
    sub(/^[^<"]*[<"]/, "", included)
    sub(/[>"].*$/, "", included)
    split(included, part, "/")
    if (stage != "" && part[1] == "gttf" && !((stage, part[2]) in allowed))
      fault(stage " must not include " included)
    for (i = 1; i <= fences; i++)
      if (included ~ header[i] && FILENAME !~ where[i])
        fault(included " is fenced to " where[i])
  }
  END {
    if (!files) { print "no source files found"; exit 2 }
    exit faults > 0
  }'
