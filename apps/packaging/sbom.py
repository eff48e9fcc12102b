#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the software bill of materials of a release as SPDX 2.3 JSON.

Lists every library that the program contains or is linked with, in the version
of the Debian packages from which it was built. NOTICE has the same libraries
with their licences; the test structure.sbom compares the two.

Usage: sbom.py [FILE ...]; a FILE is part of the release and listed with its
SHA-256. The time is that of SOURCE_DATE_EPOCH where it is set.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import quote

ROOT = Path(__file__).resolve().parents[2]

# Name in NOTICE, Debian package, licence as SPDX expression
LIBRARIES = [
    ("CLI11", "libcli11-dev", "BSD-3-Clause"),
    ("Random123", "librandom123-dev", "BSD-3-Clause"),
    ("JSON for Modern C++", "nlohmann-json3-dev", "MIT"),
    ("Eigen", "libeigen3-dev", "MPL-2.0"),
    ("Dragonbox", "libdragonbox-dev", "BSL-1.0"),
    ("fmt", "libfmt-dev", "MIT"),
    ("yaml-cpp", "libyaml-cpp-dev", "MIT"),
    ("Nettle", "nettle-dev", "LGPL-3.0-or-later"),
    ("zlib", "zlib1g-dev", "Zlib"),
    ("GNU C library", "libc6-dev", "LGPL-2.1-or-later"),
    (
        "GNU C++ library and libgcc",
        "libstdc++-12-dev",
        "GPL-3.0-or-later WITH GCC-exception-3.1",
    ),
]


def version_of(package):
    """Version and home page of an installed Debian package, or None."""
    query = ["dpkg-query", "-W", "-f", "${Version}\n${Homepage}", package]
    try:
        found = subprocess.run(query, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    version, _, page = found.stdout.partition("\n")
    return version, page or "NOASSERTION"


def spdx_id(name):
    return "SPDXRef-" + re.sub("[^A-Za-z0-9]+", "-", name).strip("-")


def main(files):
    project = re.search(
        r"project\(gttf-design VERSION ([0-9.]+)",
        (ROOT / "CMakeLists.txt").read_text(),
    )[1]
    installed = [(library, version_of(library[1])) for library in LIBRARIES]
    missing = [library[1] for library, found in installed if not found]
    if missing:
        sys.exit("sbom.py: these packages are not installed: " + ", ".join(missing))
    program = {
        "SPDXID": "SPDXRef-gttf-design",
        "name": "gttf-design",
        "versionInfo": project,
        "downloadLocation": "NOASSERTION",
        "licenseConcluded": "Apache-2.0",
        "licenseDeclared": "Apache-2.0",
        "copyrightText": "Copyright 2026 the gttf-design authors",
        "filesAnalyzed": False,
    }
    packages, relations = [program], []
    for (name, package, licence), (version, page) in installed:
        packages.append(
            {
                "SPDXID": spdx_id(name),
                "name": name,
                "versionInfo": version,
                "downloadLocation": "NOASSERTION",
                "homepage": page,
                "licenseConcluded": licence,
                "licenseDeclared": licence,
                "copyrightText": "NOASSERTION",
                "filesAnalyzed": False,
                "externalRefs": [
                    {
                        "referenceCategory": "PACKAGE-MANAGER",
                        "referenceType": "purl",
                        "referenceLocator": "pkg:deb/debian/" + quote(f"{package}@{version}", "@"),
                    }
                ],
            }
        )
        relations.append(
            {
                "spdxElementId": "SPDXRef-gttf-design",
                "relationshipType": "DEPENDS_ON",
                "relatedSpdxElement": spdx_id(name),
            }
        )
    listed = []
    for file in sorted(files):
        content = Path(file).read_bytes()
        entry = {
            "SPDXID": spdx_id("file " + Path(file).name),
            "fileName": "./" + Path(file).name,
            "checksums": [
                {
                    "algorithm": algorithm.upper(),
                    "checksumValue": hashlib.new(algorithm, content).hexdigest(),
                }
                for algorithm in ("sha1", "sha256")
            ],
            "licenseConcluded": "NOASSERTION",
            "copyrightText": "NOASSERTION",
        }
        listed.append(entry)
        relations.append(
            {
                "spdxElementId": entry["SPDXID"],
                "relationshipType": "GENERATED_FROM",
                "relatedSpdxElement": "SPDXRef-gttf-design",
            }
        )
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))
    content = json.dumps([packages, listed], sort_keys=True).encode()
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"gttf-design-{project}",
        "documentNamespace": "https://spdx.org/spdxdocs/gttf-design-"
        f"{project}-{hashlib.sha256(content).hexdigest()}",
        "creationInfo": {
            "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds)),
            "creators": ["Tool: gttf-design sbom.py"],
        },
        "documentDescribes": ["SPDXRef-gttf-design"],
        "packages": packages,
        "files": listed,
        "relationships": relations,
    }
    json.dump(document, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main(sys.argv[1:])
