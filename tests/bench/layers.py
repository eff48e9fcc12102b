#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CPU time of each verb against the number of layers of a barrel: a table in
Markdown, with the exponent of the growth, and the yardstick of the same run.

layers.py PROGRAM [BENCH] [--layers 100,1000,10000] [--verbs show,regimes]
"""
import argparse
import math
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

POINT = "--pt 10GeV --theta 80deg"
CURVE = "--pt 1GeV:100GeV:20 --theta 90deg,60deg"
# name, arguments; {d}: the detector; {s}: the same with strips in every other
# layer, {o}: with one layer moved; {r}: requirements; {h}: hits
ROWS = [
    ("validate", "validate {d}"),
    ("show", "show {d} " + POINT),
    ("resolve", "resolve {d} " + POINT),
    ("... `--engine triplet`, pixels", "resolve {d} --engine triplet " + POINT),
    ("... `--engine triplet`, strips", "resolve {s} --engine triplet " + POINT),
    ("scan, 40 tracks", "scan {d} " + CURVE),
    ("... `--energy-loss mean`", "scan {d} --energy-loss mean " + CURVE),
    ("regimes", "regimes {d} " + POINT),
    ("budget", "budget {d} " + POINT),
    ("sensitivity", "sensitivity {d} " + POINT),
    ("compare, one layer differs, 40 tracks", "compare {d} {o} " + CURVE),
    ("check, 40 tracks", "check {r} {d}"),
    ("toy, 100 toys", "toy {d} --toys 100 --threads 1 " + POINT),
    ("fit, 20 tracks", "fit {d} {h} --threads 1"),
    ("plot, 40 tracks", "plot {d} -o plot.svg --threads 1 " + CURVE),
    ("report, 40 tracks", "report {d} -o page.html --threads 1 " + CURVE),
]


def detector(n, strips):
    lines = [
        "gttf-detector: 1", f"name: barrel of {n}", "field: { solenoid: 2 T }",
        "layers:"
    ]
    for i in range(n):
        radius = 30 + 970 * i / (n - 1)
        measured = "rphi: 10 um" if strips and i % 2 else "rphi: 10 um, z: 10 um"
        lines.append(
            f"  - {{ name: L{i}, cylinder: {{ radius: {radius:.6f} mm, "
            f"half_length: 3 m }}, material: {10 / n:.8f} %, "
            f"measures: {{ {measured} }} }}")
    return "\n".join(lines) + "\n"


def hits(n, tracks=20):
    """Of helices from the origin, of 10 GeV in 2 T, without errors."""
    diameter = 2 * 10 / (0.299792458 * 2) * 1e3
    lines = ["track,layer,x_mm,y_mm,z_mm"]
    for t in range(tracks):
        start, slope = 0.3 * t, 0.1 + 0.01 * t
        for i in range(n):
            r = 30 + 970 * i / (n - 1)
            phi = start + math.asin(r / diameter)
            lines.append(f"{t},L{i},{r * math.cos(phi):.7f},"
                         f"{r * math.sin(phi):.7f},{slope * r:.7f}")
    return "\n".join(lines) + "\n"


REQUIREMENTS = """gttf-requirements: 1
name: of a barrel
detectors: []
requirements:
  - name: pT
    what: sigma_pt_rel
    at:
      pt: { from: 1 GeV, to: 100 GeV, points: 20 }
      theta: [90 deg, 60 deg]
    max: 50 %
"""


def cpu_so_far():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def cpu_time(command, folder):
    """Of the fastest of up to three runs, s; nothing if the program refuses,
    or takes more than two minutes."""
    best = math.inf
    for _ in range(3):
        before, start = cpu_so_far(), time.monotonic()
        try:
            result = subprocess.run(command, cwd=folder, capture_output=True,
                                    timeout=120)
        except subprocess.TimeoutExpired:
            return None
        if result.returncode != 0:
            print(result.stderr.decode().split("\n")[0], file=sys.stderr)
            return None
        best = min(best, cpu_so_far() - before)
        if time.monotonic() - start > 3:
            break
    return best


def yardstick(bench):
    out = subprocess.run([
        bench, "--benchmark_filter=yardstick", "--benchmark_repetitions=9",
        "--benchmark_report_aggregates_only=true"
    ], capture_output=True, text=True).stdout
    median = re.search(r"yardstick_median +[0-9.]+ ns +([0-9.]+) ns", out)
    return f"{float(median[1]) / 1e3:.2f} us" if median else "not measured"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("bench", nargs="?")
    parser.add_argument("--layers", default="100,1000,10000")
    parser.add_argument("--verbs")
    options = parser.parse_args()
    program = str(pathlib.Path(options.program).resolve())
    counts = [int(n) for n in options.layers.split(",")]
    only = options.verbs.split(",") if options.verbs else None
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "required.yaml").write_text(REQUIREMENTS)
        for n in counts:
            (folder / f"{n}.yaml").write_text(detector(n, False))
            (folder / f"{n}s.yaml").write_text(detector(n, True))
            (folder / f"{n}o.yaml").write_text(
                detector(n, False).replace("30.000000", "29.990000"))
            (folder / f"{n}.csv").write_text(hits(n))
        print("| layers | " + " | ".join(str(n) for n in counts) +
              " | exponent between the last two |")
        print("|---|" + "---|" * (len(counts) + 1))
        for title, arguments in ROWS:
            if only and arguments.split()[0] not in only:
                continue
            times = []
            for n in counts:
                words = arguments.format(d=f"{n}.yaml",
                                         s=f"{n}s.yaml",
                                         o=f"{n}o.yaml",
                                         h=f"{n}.csv",
                                         r="required.yaml").split()
                times.append(cpu_time([program] + words, folder))
            known = [(n, t) for n, t in zip(counts, times) if t][-2:]
            (n, first), (m, second) = known if len(known) > 1 else known * 2
            growth = (f"{math.log(second / first) / math.log(m / n):.2f}"
                      if m > n else "")
            cells = [f"{1e3 * t:.0f} ms" if t else "-" for t in times]
            print(f"| {title} | {' | '.join(cells)} | {growth} |", flush=True)
    if options.bench:
        print(f"\nYardstick of the same run: {yardstick(options.bench)}.")


if __name__ == "__main__":
    main()
