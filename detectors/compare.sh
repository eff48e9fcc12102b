#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares our resolutions with published ones: fills the tables of README.md.
#
#   detectors/compare.sh [--check] [PROGRAM]
#
# PROGRAM is gttf-design (default: the one in PATH). Published figures come from
# published.csv. With --check nothing is written; exit 1 if README.md is out of date.
set -eu
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
check=no
if [ "${1-}" = --check ]; then
  check=yes
  shift
fi
program=${1:-gttf-design}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# Detector file, particle, scattering model, pT in GeV; all at 90 deg. A name with @N: the
# mean over N azimuths, for detectors of modules.
cat > "$work/runs" <<'RUNS'
alice_its2 pion highland 0.5 1 10 100
alice_its3 pion highland 1 10 100
alice_tpc pion highland-total 1 10 100
atlas_itk muon highland 1 10 100
atlas_itk_modules@36 muon highland 1 10 100
cms_phase2 pion highland 1 10 100
cms_phase2_modules@36 pion highland 1 10 100
cld pion highland 1 10 100
idea muon highland-total 1 10 100
ild muon highland-total 1 10 45 100
ild_drift muon highland-total 1 10 45 100
belle2 pion highland-total 1 10 100
belle2_modules@36 pion highland-total 1 10 100
mu3e electron highland 0.015 0.03 0.053
barrel pion highland 1 10 100
RUNS

# One line per track: detector name, particle, model, file, then the program's columns.
: > "$work/ours"
while read -r name particle model momenta; do
  file=${name%@*}
  [ "$file" = "$name" ] && average= || average="--average phi:${name#*@}"
  list=$(for pt in $momenta; do printf ',%sGeV' "$pt"; done)
  "$program" scan "$here/$file.yaml" --particle "$particle" \
    --scattering "$model" --pt "${list#,}" --theta 90deg \
    $average --format csv --no-provenance --quiet > "$work/scan.csv" || {
    echo "compare.sh: '$program scan' failed for $file.yaml" >&2
    exit 2
  }
  # shares of hits are a list in quotes
  sed 's/"[^"]*"//g' "$work/scan.csv" | awk -F, -v OFS=, -v file="$file" -v model="$model" '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    {
      print file, $at["detector"], $at["particle"], model, $at["pt_GeV"], \
            $at["p_GeV"], $at["sigma_pt_rel"], $at["sigma_p_rel"], \
            $at["sigma_d0_um"], $at["sigma_z0_um"]
    }' >> "$work/ours"
done < "$work/runs"

awk -F, '
  function digits(x) { return sprintf(x >= 100 ? "%.0f" : "%#.3g", x) }
  function number(x, unit) { return x == "" ? "-" : digits(x) " " unit }
  # As published, unless that is a computed number of many digits.
  function shown(text) { return length(text) > 6 ? sprintf("%.4g", text) : text }
  function rounded(x) { return sprintf("%.4g", x) }
  # Our value of a column in the unit of the published one.
  function ours(row, column, unit,   x) {
    x = cell[row, column]
    if (x == "" || unit == "um") return x
    return unit == "MeV" ? x * p[row] * 1000 : x * 100
  }
  function deviation(x, reference,   d) {
    if (x == "") return "-"
    d = 100 * (x / reference - 1)
    if (d < 0.01 && d > -0.01) return "below 0.01 %"
    return sprintf((d < 10 && d > -10) ? "%+.1f %%" : "%+.0f %%", d)
  }
  # Published value and deviation as two table cells; empty ones if there is none.
  function beside(row, column, unit,   k) {
    k = file[row] "," rounded(pt[row]) "," column
    if (!(k in value)) return " | - | -"
    used[k] = 1
    if (said[row] == source[k]) sub(":", ", " symbol[column] ":", from[row])
    else from[row] = from[row] (from[row] ? "; " : "") symbol[column] ": " source[k]
    said[row] = source[k]
    return " | " shown(value[k]) " " unit " | " deviation(ours(row, column, unit), value[k])
  }
  BEGIN {
    symbol["sigma_pt_rel"] = "pT"; symbol["sigma_d0_um"] = "d0"
    symbol["sigma_z0_um"] = "z0"; symbol["sigma_p_rel"] = "p"
  }
  FNR == 1 { part++ }
  part == 1 && FNR > 1 && $2 ~ /^pt=[0-9.]*$/ {
    split($2, at, "=")
    k = $1 "," rounded(at[2]) "," $3
    order[++published] = k
    value[k] = $4; unit_of[k] = $5; column_of[k] = $3; source[k] = $7 " [" $6 "]"
    condition[k] = $8
    on[k] = $1 "," rounded(at[2])
  }
  part == 2 {
    n++
    file[n] = $1; name[n] = $2; particle[n] = $3; model[n] = $4; pt[n] = $5; p[n] = $6
    cell[n, "sigma_pt_rel"] = $7; cell[n, "sigma_p_rel"] = $8
    cell[n, "sigma_d0_um"] = $9; cell[n, "sigma_z0_um"] = $10
    track[$1 "," rounded($5)] = n
  }
  END {
    print "| detector | particle, model | pT (GeV) | s(pT)/pT | published | deviation | s(d0) | published | deviation | source |"
    print "|---|---|---|---|---|---|---|---|---|---|"
    for (i = 1; i <= n; i++) {
      # Momenta outside 1, 10, 100 GeV are there for the second table only.
      if (file[i] != "mu3e" && rounded(pt[i]) !~ /^(1|10|100)$/) continue
      a = beside(i, "sigma_pt_rel", "%")
      b = beside(i, "sigma_d0_um", "um")
      x = ours(i, "sigma_pt_rel", "%")
      print "| " name[i] " | " particle[i] ", " model[i] " | " rounded(pt[i]) " | " \
            number(x, "%") a " | " number(cell[i, "sigma_d0_um"], "um") b " | " from[i] " |"
    }
    print ""
    print "Other published figures:"
    print ""
    print "| detector | quantity | pT (GeV) | ours | published | deviation | source | condition |"
    print "|---|---|---|---|---|---|---|---|"
    for (j = 1; j <= published; j++) {
      k = order[j]
      if (k in used) continue
      if (!(on[k] in track)) {
        print "compare.sh: published.csv: no such track: " k > "/dev/stderr"
        exit 2
      }
      i = track[on[k]]
      x = ours(i, column_of[k], unit_of[k])
      print "| " name[i] " | s(" symbol[column_of[k]] ") | " rounded(pt[i]) " | " \
            number(x, unit_of[k]) " | " shown(value[k]) " " unit_of[k] " | " \
            deviation(x, value[k]) " | " source[k] " | " condition[k] " |"
    }
    print ""
    print "What the published figures of the first table are:"
    print ""
    for (j = 1; j <= published; j++) {
      k = order[j]
      split(k, at, ",")
      t = name[track[on[k]]] ", " symbol[column_of[k]] ": " condition[k]
      if (k in used && !(t in told)) print "- " t "."
      told[t] = 1
    }
  }' "$here/published.csv" "$work/ours" > "$work/tables"

# Tracks along a beam: the studies of these detectors, figures at p=... in GeV and the
# first angle.
for file in datura lhcb; do
  "$program" scan "$here/../configs/$file.yaml" --format csv --no-provenance \
    --quiet > "$work/scan.csv" || {
    echo "compare.sh: '$program scan' failed for configs/$file.yaml" >&2
    exit 2
  }
  awk -F, -v OFS=, -v file="$file" '
    function digits(x) { return sprintf(x >= 100 ? "%.0f" : "%#.3g", x) }
    FNR == 1 { part++ }
    part == 1 && FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    part == 1 { n++; for (i = 1; i <= NF; i++) cell[n, i] = $i; next }
    FNR > 1 && $1 == file && $2 ~ /^p=/ {
      split($2, p, "=")
      for (k = 1; k <= n && cell[k, at["p_GeV"]] != p[2]; k++);
      x = cell[k, at[$3]]
      if (x == "") {
        print "compare.sh: published.csv: no such track: " $0 > "/dev/stderr"
        exit 2
      }
      if ($5 == "%") x *= 100
      name = $3 ~ /_at_/ ? " at " cell[k, at["at_layer"]] : ""
      sub(/^sigma_/, "", $3); sub(/(_at)?_(um|mrad|rel)$/, "", $3)
      printf "| %s | s(%s)%s | %s | %s %s | %s %s | %+.1f %% | %s [%s] | %s |\n", \
             cell[k, at["detector"]], $3, name, p[2], digits(x), $5, $4, $5, \
             100 * (x / $4 - 1), $7, $6, $8
    }' "$work/scan.csv" "$here/published.csv" >> "$work/beam"
done
# Curves against eta, means over azimuth: detector file, particle, momenta, middles of the
# bins of the source. The flat barrel only where it is meant for.
: > "$work/curves"
while read -r file particle momenta etas; do
  "$program" scan "$here/$file.yaml" --particle "$particle" --pt "$momenta" --eta "$etas" \
    --average phi:36 --format csv --no-provenance --quiet > "$work/scan.csv" || {
    echo "compare.sh: '$program scan' failed for $file.yaml" >&2
    exit 2
  }
  # rows of the published file, then of ours
  sed 's/"[^"]*"//g' "$work/scan.csv" | awk -F, -v file="$file" '
    function rounded(x) { return sprintf("%.4g", x) }
    FNR == 1 { part++ }
    part == 1 && $2 ~ /;eta=/ { value[$1 "," $2] = $4; source = $7 " [" $6 "]"; next }
    part == 1 { next }
    FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    {
      track = "pt=" rounded($at["pt_GeV"]) ";eta=" rounded($at["eta"])
      k = (file == "cms_phase2" ? "cms_phase2_modules" : file) "," track
      if (!(k in value)) {
        print "compare.sh: published.csv: no such track: " k > "/dev/stderr"
        exit 2
      }
      x = 100 * $at["sigma_pt_rel"]
      if (!x) next
      printf "%s|%s|%s|%.3g|%s|%+.0f\n", rounded($at["eta"]), rounded($at["pt_GeV"]), \
             $at["detector"], x, value[k], 100 * (x / value[k] - 1)
    }' "$here/published.csv" - >> "$work/curves"
done << 'CURVES'
cms_phase2 pion 1GeV,10GeV,100GeV 0.1,0.5,0.9
cms_phase2_modules pion 1GeV,10GeV,100GeV 0.1,0.5,0.9,1.3,1.7,2.1
CURVES
{
  echo
  echo "s(pT)/pT of CMS Phase-2 against eta, in per cent, means over azimuth. Published: the middle of a bin of the parametrisation in the Delphes card"
  echo "CMS_PhaseII [v] (trackMomentumResolution.tcl), a tkLayout study."
  echo
  echo "| eta | pT (GeV) | published | tilted modules | deviation | flat barrel | deviation |"
  echo "|---|---|---|---|---|---|---|"
  awk -F'|' '
    { k = $1 "|" $2; if (!(k in published)) order[++n] = k; published[k] = $5
      if ($3 ~ /barrel/) flat[k] = $4 " | " $6 " %"; else tilted[k] = $4 " | " $6 " %" }
    END {
      for (i = 1; i <= n; i++) {
        split(order[i], at, "|"); k = order[i]
        print "| " at[1] " | " at[2] " | " published[k] " | " \
              (k in tilted ? tilted[k] : "- | -") " | " (k in flat ? flat[k] : "- | -") " |"
      }
    }' "$work/curves" | sort -t'|' -k2,2n -k3,3n
  echo
  echo "Tracks along a beam:"
  echo
  echo "| detector | quantity | p (GeV) | ours | published | deviation | source | condition |"
  echo "|---|---|---|---|---|---|---|---|"
  cat "$work/beam"
} >> "$work/tables"

awk -v tables="$work/tables" '
  /<!-- compare.sh: end -->/ { inside = 0 }
  !inside { print }
  /<!-- compare.sh: begin -->/ {
    inside = 1
    while ((getline line < tables) > 0) print line
  }' "$here/README.md" > "$work/README.md"

if [ "$check" = yes ]; then
  diff "$here/README.md" "$work/README.md" || {
    echo "compare.sh: detectors/README.md is out of date; run detectors/compare.sh" >&2
    exit 1
  }
elif ! cmp -s "$here/README.md" "$work/README.md"; then
  cat "$work/README.md" > "$here/README.md"
fi
