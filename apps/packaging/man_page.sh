#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints the man page of gttf-design, made from the program's own help.
# Usage: man_page.sh PROGRAM
set -eu
program=${1:?the program}
here=$(dirname -- "$0")
version=$("$program" version | awk 'NR == 1 { print $2 }')
verbs=$("$program" help | awk '/^Verbs:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }')

cat << END
.TH GTTF\-DESIGN 1 "" "gttf\-design $version" "User Commands"
.SH NAME
gttf\-design \- resolution of tracking detectors by the General Triplet Track Fit
.SH SYNOPSIS
.B gttf\-design
.I VERB
.RI [ ARGUMENTS ]
.RI [ OPTIONS ]
.SH DESCRIPTION
Describe layers, material and field of a tracking detector in YAML, get its
momentum, angle and impact\-parameter resolution over momentum and angle, and
the reason for each number: shares of scattering and hit errors of every layer,
sensitivities, limits, simulated tracks, fits of measured hits.
.SH VERBS
END
for verb in $verbs; do
  "$program" help "$verb" | awk -v verb="$verb" -f "$here/man_page.awk"
done
cat << 'END'
.SH EXIT STATUS
.TP
0
Good.
.TP
1
.BR check :
a requirement is not met.
.TP
2
Wrong usage, invalid input, or an output that may not be written.
.TP
3
No track could be evaluated or fitted.
.TP
70
A fault of the program; please report it.
.TP
71
The system has run out of memory, threads, space or descriptors, or a device fails.
.SH ENVIRONMENT
.TP
.B GTTF_DESIGN_DATA
Folder with detectors/ and configs/ in place of the installed one.
.TP
.B NO_COLOR
If set and not empty, messages have no colours.
.SH FILES
.TP
.I share/gttf\-design/detectors/
Descriptions of existing and planned detectors. One that does not exist in the
current folder is found here by its name:
.B gttf\-design show alice_its2
.TP
.I share/gttf\-design/configs/
Studies of them, found in the same way; requirement files in configs/check/.
END
