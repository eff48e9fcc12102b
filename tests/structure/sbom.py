#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the bill of materials of apps/packaging/sbom.py.

It lists the libraries of NOTICE, each with a version and a licence, and is a
document of SPDX 2.3: what its elements refer to exists.

Usage: sbom.py ROOT
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

root = Path(sys.argv[1])
script = root / "apps/packaging/sbom.py"
if not shutil.which("dpkg-query"):
    print("skipped: no dpkg-query")
    sys.exit(77)
environment = dict(os.environ, SOURCE_DATE_EPOCH="1700000000")


def run(*files):
    return subprocess.run(
        [sys.executable, script, *files],
        capture_output=True,
        text=True,
        env=environment,
    )


made = run(root / "LICENSE")
if "not installed" in made.stderr:
    print("skipped:", made.stderr.strip())
    sys.exit(77)
assert made.returncode == 0, made.stderr
assert made.stdout == run(root / "LICENSE").stdout, "the same files, other bytes"
bill = json.loads(made.stdout)

noticed = {
    re.split(r", | \(", heading)[0]
    for heading in re.findall(r"^={72}\n(.+)$", (root / "NOTICE").read_text(), re.M)
}
libraries = [p for p in bill["packages"] if p["name"] != "gttf-design"]
listed = {p["name"] for p in libraries}
assert listed == noticed, f"not in both: {listed ^ noticed}"
for package in libraries:
    assert re.match(r"[0-9]", package["versionInfo"]), package
    assert re.match(r"[A-Z]", package["licenseDeclared"]), package
    locator = package["externalRefs"][0]["referenceLocator"]
    assert re.fullmatch(r"pkg:deb/debian/[a-z0-9.%B+-]+@[\w.%~-]+", locator), locator

known = {"SPDXRef-DOCUMENT"}
for element in bill["packages"] + bill["files"]:
    assert re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", element["SPDXID"]), element
    assert element["SPDXID"] not in known, element["SPDXID"]
    known.add(element["SPDXID"])
for relation in bill["relationships"]:
    assert relation["spdxElementId"] in known, relation
    assert relation["relatedSpdxElement"] in known, relation
assert bill["creationInfo"]["created"] == "2023-11-14T22:13:20Z"
hashes = {c["algorithm"]: c["checksumValue"] for c in bill["files"][0]["checksums"]}
assert len(hashes["SHA256"]) == 64 and len(hashes["SHA1"]) == 40
print(f"{len(libraries)} libraries")
