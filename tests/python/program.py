# SPDX-License-Identifier: Apache-2.0
"""Runs the program gttf-design to compare its results with the package."""

import csv
import json
import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(os.environ["GTTF_ROOT"])
PROGRAM = os.environ["GTTF_PROGRAM"]
ITS2 = str(ROOT / "detectors" / "alice_its2.yaml")
CLD = str(ROOT / "detectors" / "cld.yaml")
BARREL = str(ROOT / "detectors" / "barrel.yaml")


def _run(ending, *arguments, read=Path.read_text):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "result" + ending)
        command = [PROGRAM, *map(str, arguments), "-o", path, "--quiet"]
        code = subprocess.run(command).returncode
        if code not in (0, 1):  # 1: a requirement is not met
            raise RuntimeError(f"{command} ended with {code}")
        return read(path)


def json_of(*arguments):
    document = json.loads(_run(".json", *arguments))
    document.pop("provenance", None)
    return document


def npz_of(*arguments):
    """Column -> array, and the provenance."""
    def read(path):
        with np.load(path, allow_pickle=False) as archive:
            return dict(archive)

    arrays = _run(".npz", *arguments, read=read)
    return arrays, json.loads(str(arrays.pop("provenance")))


def csv_of(*arguments):
    """Column -> texts."""
    lines = [l for l in _run(".csv", *arguments).splitlines() if l[:1] != "#"]
    rows = list(csv.DictReader(lines))
    return {name: [row[name] for row in rows] for name in rows[0]}


def assert_same_table(test, table, expected):
    """`table` is equal, to the last bit, to the CSV columns `expected`."""
    test.assertEqual(list(table), list(expected))
    for name, texts in expected.items():
        column = table[name]
        test.assertEqual(len(column), len(texts), name)
        for cell, text in zip(column, texts):
            if column.dtype.kind in "OU":
                test.assertEqual(cell, text, name)
            elif text == "":
                test.assertNotEqual(cell, cell, name)
            else:
                test.assertEqual(cell, float(text), name)


def plain(document):
    """A copy with None instead of NaN, as in JSON."""
    if isinstance(document, dict):
        return {name: plain(member) for name, member in document.items()}
    if isinstance(document, list):
        return [plain(item) for item in document]
    if isinstance(document, float) and document - document != 0:
        return None
    return document
