# SPDX-License-Identifier: Apache-2.0
"""Compares the time of gttf.covariances() with the same call in C++.

Usage: PYTHONPATH=BUILD/python python3 speed.py BUILD/tests/python/python_speed DETECTOR
"""

import subprocess
import sys
import time

import numpy as np

import gttf

TRACKS, THREADS, ROUNDS = 1_000_000, 1, 5
program, path = sys.argv[1:]
i = np.arange(TRACKS)
p, theta, phi = 0.5 + 49.5 * i / TRACKS, 1 + 0.001 * (i % 1000), -3 + 0.006 * (i % 997)
detector = gttf.read_detector(path)
out = np.zeros((15, TRACKS))


def seconds(**arguments):
    begin = time.perf_counter()
    gttf.covariances(detector, p, theta, phi, threads=THREADS, **arguments)
    return time.perf_counter() - begin


least = {"C++": 1e300, "Python": 1e300, "Python, out=": 1e300}
for _ in range(ROUNDS):  # interleaved, so that other load affects all alike
    done = subprocess.run(
        [program, path, str(TRACKS), str(THREADS), "1"],
        capture_output=True, check=True, text=True,
    )
    for name, time_taken in {
        "C++": float(done.stdout),
        "Python": seconds(),
        "Python, out=": seconds(out=out),
    }.items():
        least[name] = min(least[name], time_taken)
for name, time_taken in least.items():
    print(f"{name:13} {time_taken:.3f} s, {time_taken / least['C++']:.2f} of C++")
