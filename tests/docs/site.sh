#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the site and checks its pages: targets of links, also headings, code blocks and formulas. Ends with 77 (skipped) where
# mkdocs is missing. Usage: site.sh ROOT FOLDER
set -u
root=${1:?folder of the project}
site=${2:?folder to build in}
sh "$root/docs/site.sh" "$site" || exit
exec python3 "$(dirname -- "$0")/check_site.py" "$site"
