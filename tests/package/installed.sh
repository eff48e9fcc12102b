#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Uses an installed program as a user would, from a folder without any files.
# Usage: installed.sh PREFIX
set -u
prefix=${1:?prefix of the installation}
unset GTTF_DESIGN_DATA
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
program=$prefix/bin/gttf-design
status=0
fault() {
  echo "installed: $*"
  status=1
}
quietly() { "$@" > out 2> err || fault "$* ends with $?: $(cat err)"; }

quietly "$program" show alice_its2
quietly "$program" show detectors/alice_its2.yaml
quietly "$program" scan alice_its2 --p 1GeV --theta 90deg
quietly "$program" check alice_its2
quietly "$program" resolve cld --p 1GeV --theta 90deg
quietly "$program" regimes cld --p 1GeV --theta 90deg
quietly "$program" budget cld --p 1GeV --theta 90deg
quietly "$program" sensitivity cld --p 1GeV --theta 90deg
quietly "$program" compare cld ild --p 1GeV --theta 90deg
quietly "$program" baseline barrel --p 1GeV --theta 90deg -o b.json
quietly "$program" toy barrel --p 1GeV --theta 90deg --toys 10
quietly "$program" validate cld
quietly "$program" export cld --to lut --p 1GeV --theta 90deg
quietly "$program" plot --detector barrel --p 1GeV --theta 90deg -o barrel.svg
quietly "$program" plot barrel -o barrel.svg
quietly "$program" report barrel -o barrel.html
grep -q 'teaching barrel' barrel.html || fault 'the report lacks its detector'
printf 'gttf-study: 1\ndetectors: [cld]\npt: 1 GeV\neta: 0\n' > study.yaml
quietly "$program" scan study.yaml
"$program" show alice_its > out 2> err
[ $? = 2 ] && grep -q 'no such file' err || fault 'a wrong name is not refused'

for page in "$prefix"/share/man/man1/gttf-design.1*; do
  case $page in
    *.gz) gzip -dc "$page" > page ;;
    *) cat "$page" > page ;;
  esac
done
"$program" help | awk '/^Verbs:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }' > verbs
[ -s verbs ] || fault 'help names no verbs'
while read -r verb; do
  grep -q "^\.SS $verb\$" page || fault "the man page lacks $verb"
done < verbs
version=$("$program" version | awk 'NR == 1 { print $2 }')
grep -q "^\.TH .* \"gttf.*$version\" \"User Commands\"$" page || fault "the man page is not that of $version"
if command -v groff > /dev/null; then
  groff -man -ww -Tutf8 page 2>&1 > /dev/null | grep . > warnings &&
    fault "the man page: $(head -n 3 warnings)"
fi

complete() {
  [ -s "$prefix/share/$1" ] || { fault "$1 is missing"; return; }
  "$program" completion "$2" | cmp -s - "$prefix/share/$1" ||
    fault "$1 is not what the program prints"
}
complete bash-completion/completions/gttf-design bash
complete fish/vendor_completions.d/gttf-design.fish fish
for folder_of_zsh in site-functions vendor-completions; do
  [ ! -d "$prefix/share/zsh/$folder_of_zsh" ] ||
    complete "zsh/$folder_of_zsh/_gttf-design" zsh
done
exit $status
