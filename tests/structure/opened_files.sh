#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fails if a file is opened or replaced outside of the two places that keep
# outputs apart from inputs: open_input() and AtomicFile.
# Usage: opened_files.sh ROOT
cd "${1:?folder of the project}" || exit 2

find lib apps -name '*.[ch]pp' | sort | xargs awk '
  FNR == 1 {
    files++
    reads = FILENAME == "lib/gttf/config/opened_files.cpp"
    writes = FILENAME == "lib/gttf/output/atomic_file.cpp"
  }
  { sub(/\/\/.*/, "") }
  !reads && !/O_ACCMODE/ && /(^|[^a-z_])(fopen|freopen)[ (]|fstream|O_RDONLY|O_RDWR/ {
    printf "%s:%d: open files by open_input() or AtomicFile\n", FILENAME, FNR
    faults++
  }
  !writes && /(^|[^a-z_])(rename|copy_file)[ (]|O_WRONLY|O_CREAT/ {
    printf "%s:%d: write files by AtomicFile\n", FILENAME, FNR
    faults++
  }
  END {
    if (!files) { print "no source files found"; exit 2 }
    exit faults > 0
  }'
