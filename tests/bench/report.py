#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns the JSON of the benchmarks into docs/performance.md and its plot.

bench --benchmark_filter='yardstick|barrel/|alice|cld|idea|cms_modules|fits/|toys/|regimes/|many/' \
  --benchmark_repetitions=9 --benchmark_out=bench.json
report.py bench.json [--scan 'NAME=SECONDS ...'] --into docs
"""
import argparse
import itertools
import json
import math
import pathlib
import statistics

# Colours of the levels, in the order of the benchmarks.
PALETTE = ("#7a7a7a", "#2ca02c", "#d62728", "#1f77b4", "#9467bd")


def read(path):
    """Medians of every benchmark, and the context: CPU time and real time per
    track in ns, and the most bytes that a call has at a time."""
    data = json.loads(pathlib.Path(path).read_text())
    runs = {}
    for b in data["benchmarks"]:
        if b.get("run_type") == "aggregate" or b.get("error_occurred"):
            continue
        unit = {"ns": 1, "us": 1e3, "ms": 1e6}[b["time_unit"]]
        name = b["run_name"].removesuffix("/process_time")
        name = name.removesuffix("/real_time")
        tracks = b.get("tracks", 1)
        times = runs.setdefault(name, ([], [], []))
        times[0].append(b["cpu_time"] * unit / tracks)
        times[1].append(b["real_time"] * unit / tracks)
        times[2].append(b.get("bytes", math.nan))
    return {name: tuple(map(statistics.median, t))
            for name, t in runs.items()}, data["context"]


def curves(runs, threads):
    """{level: [(hits, ns)]} of the covariance of barrels."""
    found = {}
    for name, (cpu, _, _) in runs.items():
        part = name.split("/")
        if part[0] == "barrel" and part[2] == "covariance" and \
                part[4] == f"threads:{threads}":
            found.setdefault(part[3], []).append((int(part[1]), cpu))
    return {level: sorted(points) for level, points in found.items()}


def exponent(points, least=100):
    """Slope of log(time) over log(hits) from `least` hits on."""
    xy = [(math.log(n), math.log(t)) for n, t in points if n >= least]
    mx = sum(x for x, _ in xy) / len(xy)
    my = sum(y for _, y in xy) / len(xy)
    return (sum((x - mx) * (y - my) for x, y in xy) /
            sum((x - mx) ** 2 for x, _ in xy))


def svg(all_curves, yardstick):
    """Time over number of hits, both logarithmic."""
    width, height, left, bottom, top, right = 640, 420, 70, 50, 20, 100
    x0, x1, y0, y1 = math.log10(3), 4, 1.5, 7

    def place(n, t):
        x = left + (math.log10(n) - x0) / (x1 - x0) * (width - left - right)
        y = height - bottom - (math.log10(t) - y0) / (y1 - y0) * (
            height - bottom - top)
        return x, y

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} '
           f'{height}" font-family="sans-serif" font-size="13">',
           f'<rect width="{width}" height="{height}" fill="white"/>']
    for exp in range(2, 8):
        x, y = place(3, 10 ** exp)
        label = {2: "100 ns", 3: "1 us", 4: "10 us", 5: "100 us", 6: "1 ms",
                 7: "10 ms"}[exp]
        out.append(f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{width - right}" '
                   f'y2="{y:.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{x - 6:.1f}" y="{y + 4:.1f}" '
                   f'text-anchor="end">{label}</text>')
    for n in (3, 10, 100, 1000, 10000):
        x, y = place(n, 10 ** y0)
        out.append(f'<text x="{x:.1f}" y="{y + 18:.1f}" '
                   f'text-anchor="middle">{n}</text>')
    out.append(f'<text x="{(left + width - right) / 2}" y="{height - 10}" '
               'text-anchor="middle">hits</text>')
    colours = dict(zip(all_curves, itertools.cycle(PALETTE)))
    for level, points in all_curves.items():
        line = " ".join("%.1f,%.1f" % place(*p) for p in points)
        out.append(f'<polyline points="{line}" fill="none" stroke-width="2" '
                   f'stroke="{colours[level]}"/>')
    below = -math.inf  # names of lines that end close together, apart
    for level, points in sorted(all_curves.items(),
                                key=lambda item: -item[1][-1][1]):
        x, y = place(*points[-1])
        below = max(y + 4, below + 15)
        out.append(f'<text x="{x + 6:.1f}" y="{below:.1f}" '
                   f'fill="{colours[level]}">{level}</text>')
    x, y = place(10, yardstick)
    out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4"/>')
    out.append(f'<text x="{x - 8:.1f}" y="{y + 4:.1f}" text-anchor="end">'
               'dense fit</text></svg>')
    return "\n".join(out) + "\n"


def page(runs, context, scans):
    yardstick = runs["yardstick"][0]
    one, two = curves(runs, 1), curves(runs, 2)
    levels = list(one)  # in the order of the benchmarks: from scalar on

    def time_of(name):
        return runs.get(name + "/threads:1", (math.nan,))[0]

    def cell(ns):
        return f"{ns:.0f} ns ({yardstick / ns:.1f}x)" if ns == ns else ""

    text = [
        "# Performance", "",
        "Made by `tests/bench/report.py`; how to repeat it stands at the end. "
        "Medians of", "CPU time per track on one core; in brackets how many "
        "times faster than a dense", "generalised least-squares fit of the "
        f"10-layer barrel in the same run ({yardstick / 1e3:.2f} us,", "Eigen "
        "with fixed sizes, x86-64-v3). Line, search of the crossings, "
        "scattering and", "fit are included; design: "
        "[developing/performance](developing/performance.md).", "",
        f"Machine: {context['num_cpus']} cores, "
        f"{context['mhz_per_cpu']} MHz, load "
        f"{format(context['load_avg'][0], '.1f') if context.get('load_avg') else '-'}.",
        "", "| | " + " | ".join(levels) + " |",
        "|---|" + "---|" * len(levels)]
    for title, what in (("10 layers: covariance", "barrel/10/covariance"),
                        ("... and both limits", "barrel/10/limits"),
                        ("... and the budget of five parameters", "barrel/10/budget"),
                        ("ITS2: covariance", "alice_its2/covariance"),
                        ("... limits", "alice_its2/limits"),
                        ("... budget", "alice_its2/budget"),
                        ("CLD: covariance", "cld/covariance"),
                        ("... limits", "cld/limits"),
                        ("... budget", "cld/budget"),
                        ("IDEA: covariance", "idea/covariance"),
                        ("... limits", "idea/limits"),
                        ("... budget", "idea/budget"),
                        ("CMS Phase-2, 13,200 modules: covariance",
                         "cms_modules/covariance"),
                        ("DATURA, 6 hits: covariance", "datura/covariance"),
                        ("FASER, 9 hits in two coordinates: covariance",
                         "faser/covariance"),
                        ("LHCb: covariance", "lhcb/covariance")):
        text.append(f"| {title} | " + " | ".join(
            cell(time_of(f"{what}/{level}")) for level in levels) + " |")
    text += ["", "![Time of a covariance against the number of hits]"
             "(performance.svg)", "",
             "| hits | " + " | ".join(levels) + " |",
             "|---|" + "---|" * len(levels)]
    for i, (n, _) in enumerate(one[levels[0]]):
        text.append(f"| {n} | " + " | ".join(
            f"{one[level][i][1] / 1e3:.3g} us" for level in levels) + " |")
    text.append("| exponent from 100 hits | " + " | ".join(
        f"{exponent(one[level]):.2f}" for level in levels) + " |")
    memory = [runs[f"barrel/{n}/covariance/{levels[-1]}/threads:1"][2]
              for n in (10, 10000)]
    below = (f"Memory of a call, results apart: {memory[0] / 1e3:.0f} kB at 10 "
             f"hits, {memory[1] / 1e3:.0f} kB at 10 000\n"
             f"({(memory[1] - memory[0]) / 9990:.0f} bytes for a layer: the "
             "lists of crossings and of surfaces, which all tracks\nshare).")
    text.append("| CPU time with two threads | " + " | ".join(
        f"{two[level][2][1] / one[level][2][1]:.2f}" for level in levels) +
        " |")
    if any(name.startswith("many/") for name in runs):
        text.append("| two threads against one, 10 hits, 200 000 tracks, wall "
                    "time | " + " | ".join(
                        f"{ratio:.2f}x" for ratio in (
                            runs[f"many/{level}/threads:1"][1] /
                            runs[f"many/{level}/threads:2"][1]
                            for level in levels)) + " |")
    text += ["", below]
    if any(name.startswith("toys/") for name in runs):
        text += ["", "| fits and toys of 10 layers | " + " | ".join(levels) +
                 " |", "|---|" + "---|" * len(levels)]
        for title, what in (
                ("fit of given hits, general", "fits/general"),
                ("... weights from a first fit", "fits/general_updated"),
                ("... scattering only", "fits/scattering"),
                ("toy: simulated", "toys/simulated"),
                ("... and fitted, general", "toys/general"),
                ("... general and scattering",
                 "toys/general_and_scattering"),
                ("... of these curvatures and chi2 only", "toys/curvatures"),
                ("... equations shared by the toys of a point",
                 "toys/shared"),
                ("... of these curvatures and chi2 only",
                 "toys/shared_curvatures")):
            text.append(f"| {title} | " + " | ".join(
                cell(runs.get(f"{what}/{level}", (math.nan,))[0])
                for level in levels) + " |")
        text.append("| toy of IDEA, 112 wires: simulated and fitted, general | "
                    + " | ".join(f"{runs[f'toys/idea/{level}'][0] / 1e3:.3g} us"
                                 for level in levels) + " |")
        philox = runs["toys/philox"][0]
        text += ["", "Random bits of a toy, made one by one with "
                 f"`random_block()`: {philox:.0f} ns; the levels with `mulx` "
                 "make", "them faster."]
    if any(name.startswith("regimes/") for name in runs):
        text += ["", "| regimes, all triplets, searches of momenta included | " +
                 " | ".join(levels) + " | one by one |",
                 "|---|" + "---|" * (len(levels) + 1)]
        for title, what in (("10 layers, four directions", "barrel/grid"),
                            ("... all directions differ",
                             "barrel/directions"),
                            ("CLD, four directions", "cld/grid"),
                            ("... all directions differ", "cld/directions")):
            single = runs["regimes/" + what.split("/")[0] + "/single"][0]
            text.append(f"| {title} | " + " | ".join(
                f"{runs[f'regimes/{what}/{level}'][0] / 1e3:.3g} us"
                for level in levels) + f" | {single / 1e3:.3g} us |")
    if scans:
        text += ["", "| whole process | time |", "|---|---|"]
        text += [f"| {name} | {value} |" for name, value in scans]
    text += [
        "", "## Repeat it", "", "```sh norun",
        "cmake --workflow --preset bench",
        "build/bench/tests/bench/bench --benchmark_repetitions=9 \\",
        "  --benchmark_filter='yardstick|barrel/|alice_its2/|cld/|idea/|cms_modules/|fits/|toys/|regimes/|many/' \\",
        "  --benchmark_out=bench.json",
        "python3 tests/bench/report.py bench.json --into docs",
        "ctest --test-dir build/bench/tests/bench  # instructions of five kernels",
        "```", "",
        "Times of a busy or throttled machine shift together: compare ratios "
        "to the", "yardstick, and instructions.", ""]
    return "\n".join(text)


def kept_part(path):
    """What the benchmarks do not measure: the page from this heading on."""
    if not path.exists():
        return ""
    _, heading, rest = path.read_text().partition("\n## Every feature\n")
    return heading + rest


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("json")
    parser.add_argument("--into", default="docs")
    parser.add_argument("--scan", action="append", default=[],
                        metavar="NAME=TIME")
    options = parser.parse_args()
    runs, context = read(options.json)
    folder = pathlib.Path(options.into)
    scans = [scan.rsplit("=", 1) for scan in options.scan]
    (folder / "performance.md").write_text(
        page(runs, context, scans) + kept_part(folder / "performance.md"))
    (folder / "performance.svg").write_text(
        svg(curves(runs, 1), runs["yardstick"][0]))


if __name__ == "__main__":
    main()
