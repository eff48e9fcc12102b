#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What every verb prints on the shipped files, before and after a change.

  snapshot.py run PROGRAM FOLDER [SHIPPED]   writes the outputs to FOLDER
  snapshot.py compare BEFORE AFTER [RELATIVE]   lists what differs, exit 1

SHIPPED is the folder with detectors/ and configs/: give a copy that does not
change with the branch. Two outputs are equal if their text is, and each number
to the relative difference RELATIVE (1e-8).
"""
import math
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Numbers that are small differences of large ones have few digits.
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
NEVER_EQUAL = re.compile(r"[0-9a-f]{64}|sha256|gttf-design \d")


def commands(shipped):
    detectors = sorted(p.relative_to(shipped) for p in shipped.glob("detectors/*.yaml"))
    studies = sorted(p.relative_to(shipped) for p in
                     [*shipped.glob("configs/*.yaml"), *shipped.glob("configs/paper/*.yaml")])
    checks = sorted(p.relative_to(shipped) for p in shipped.glob("configs/check/*.yaml"))
    one = ["--p", "2GeV", "--theta", "75deg"]
    forward = ["--p", "5GeV", "--theta", "20deg"]
    for d in detectors:
        name = d.stem
        along = ["--p", "3GeV", "--theta", "2deg"] if name in ("lhcb", "faser", "datura") else one
        scan = ["--p", "0.2GeV:100GeV:9", "--theta", "20deg,80deg"]
        for label, args in {
            "show": ["show", d], "show-json": ["show", d, "--format", "json"],
            "resolve": ["resolve", d, *along],
            "resolve-forward": ["resolve", d, *forward],
            "resolve-triplet": ["resolve", d, *along, "--engine", "triplet"],
            "resolve-json": ["resolve", d, *along, "--format", "json"],
            "resolve-proton": ["resolve", d, *along, "--particle", "proton"],
            "resolve-loss": ["resolve", d, *along, "--energy-loss", "straggling"],
            "resolve-highland": ["resolve", d, *along, "--scattering", "highland-total"],
            "resolve-vertex": ["resolve", d, *along, "--vertex", "2mm,-1mm,5mm"],
            "scan": ["scan", d, "--p", "0.2GeV:100GeV:9", "--theta", "5deg,20deg,45deg,90deg",
                     "--format", "csv"],
            "scan-text": ["scan", d, "--p", "1GeV,10GeV", "--theta", "10deg:90deg:5"],
            "scan-loss": ["scan", d, "--p", "0.3GeV:30GeV:5", "--theta", "10deg,80deg",
                          "--particle", "kaon", "--energy-loss", "mean", "--format", "csv"],
            "regimes": ["regimes", d, *along],
            "budget": ["budget", d, *along],
            "budget-json": ["budget", d, *along, "--format", "json"],
            "sensitivity": ["sensitivity", d, *along],
            "toy": ["toy", d, *along, "--toys", "200", "--seed", "5"],
            "toy-csv": ["toy", d, "--p", "0.5GeV,5GeV", "--theta", "30deg,85deg",
                        "--toys", "100", "--format", "csv"],
            "delphes": ["export", d, "--to", "delphes"],
            "validate": ["validate", d],
            "compare": ["compare", d, "detectors/alice_its2.yaml", *along],
        }.items():
            yield f"{name}.{label}", args
        for figure in ("sigma-pt", "layout-rz", "map-pt"):
            yield f"{name}.plot-{figure}", ["plot", d, *scan, "-o", "-", "--figure", figure]
    for s in studies:
        name = str(s.with_suffix("")).replace("/", "-")
        yield f"{name}.scan", ["scan", s, "--format", "csv"]
        yield f"{name}.scan-text", ["scan", s]
        yield f"{name}.regimes", ["regimes", s]
        yield f"{name}.budget", ["budget", s]
        yield f"{name}.report", ["report", s, "-o", "-"]
        yield f"{name}.validate", ["validate", s]
        yield f"{name}.toy", ["toy", s, "--toys", "20"]
    for c in checks:
        name = "check-" + c.stem
        yield f"{name}.text", ["check", c]
        yield f"{name}.json", ["check", c, "--format", "json"]
        yield f"{name}.csv", ["check", c, "--format", "csv"]
    yield "fit.text", ["fit", "detectors/alice_its2.yaml", "configs/its2-hits.csv"]
    yield "fit.csv", ["fit", "detectors/alice_its2.yaml", "configs/its2-hits.csv",
                      "--format", "csv"]
    for verb in ("scan", "resolve", "toy", "fit", "check", "report", "plot", "export"):
        yield f"help.{verb}", ["help", verb]


def run(program, folder, shipped):
    program = Path(program).resolve()
    folder.mkdir(parents=True, exist_ok=True)

    def one(item):
        name, args = item
        r = subprocess.run([program, *map(str, args)], cwd=shipped, capture_output=True,
                           env={**os.environ, "COLUMNS": "200", "NO_COLOR": "1"}, timeout=600)
        (folder / name).write_bytes(r.stdout + b"\n--- stderr, exit %d\n" % r.returncode
                                    + r.stderr)

    items = list(commands(shipped))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(one, items))
    print(f"{len(items)} outputs in {folder}")


def numbers_differ(a, b, relative):
    x, y = NUMBER.findall(a), NUMBER.findall(b)
    if len(x) != len(y) or NUMBER.sub("#", a) != NUMBER.sub("#", b):
        return math.inf
    worst = 0.0
    for s, t in zip(x, y):
        if s != t:
            p, q = float(s), float(t)
            scale = max(abs(p), abs(q))
            digits = max(len(s), len(t))
            # the last printed digit may be rounded the other way
            last = 10.0 ** -(digits - 2) if digits < 10 else 0.0
            d = abs(p - q) / scale if scale else 0.0
            if d > max(relative, last * 10):
                worst = max(worst, d)
    return worst


def compare(before, after, relative):
    bad = 0
    names = sorted({p.name for p in before.iterdir()} | {p.name for p in after.iterdir()})
    for name in names:
        if not (before / name).exists() or not (after / name).exists():
            print(f"{name}: only on one side")
            bad += 1
            continue
        x = (before / name).read_text(errors="replace").splitlines()
        y = (after / name).read_text(errors="replace").splitlines()
        worst, lines = 0.0, []
        if len(x) != len(y):
            worst = math.inf
            lines.append(f"{len(x)} lines, now {len(y)}")
        for a, b in zip(x, y):
            if a != b and not (NEVER_EQUAL.search(a) and NEVER_EQUAL.search(b)):
                d = numbers_differ(a, b, relative)
                if d > 0:
                    worst = max(worst, d)
                    lines.append(f"- {a[:300]}\n  + {b[:300]}")
        if worst > 0:
            bad += 1
            print(f"{name}: {worst:.2g}")
            for line in lines[:4]:
                print("  " + line)
    print(f"{bad} of {len(names)} outputs differ")
    return 1 if bad else 0


if __name__ == "__main__":
    if len(sys.argv) >= 4 and sys.argv[1] == "run":
        run(sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]) if len(sys.argv) > 4 else ROOT)
    elif len(sys.argv) >= 4 and sys.argv[1] == "compare":
        sys.exit(compare(Path(sys.argv[2]), Path(sys.argv[3]),
                         float(sys.argv[4]) if len(sys.argv) > 4 else 1e-8))
    else:
        sys.exit(__doc__)
