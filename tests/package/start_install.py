#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs `./start install` against a server on this machine.

The released package is installed only if its hash is right. A program in place
of apt-get writes down what it would have installed.

Usage: start_install.py ROOT
"""

import hashlib
import http.server
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from functools import partial
from pathlib import Path

root = Path(sys.argv[1]).resolve()
if not (shutil.which("dpkg") and Path("/usr/lib/apt/apt-helper").exists()):
    print("skipped: no apt")
    sys.exit(77)
version = re.search(
    r"project\(gttf-design VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text()
)[1]
processor = subprocess.run(
    ["dpkg", "--print-architecture"], capture_output=True, text=True, check=True
).stdout.strip()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    folder.chmod(0o755)  # apt reads as another user
    release = folder / "releases" / f"v{version}"
    release.mkdir(parents=True)
    package = release / f"gttf-design_{version}_{processor}.deb"
    package.write_bytes(b"a package")
    digest = hashlib.sha256(b"a package").hexdigest()
    sums = release / "SHA256SUMS"
    sums.write_text(f"{digest}  {package.name}\n")
    programs = folder / "bin"
    programs.mkdir()
    log = folder / "apt-get.log"
    for program in ("apt-get", "sudo"):
        fake = programs / program
        fake.write_text(
            '#!/bin/sh\n[ "${0##*/}" = sudo ] && exec "$@"\n'
            f'for last; do :; done\n[ -f "$last" ] && cat "$last" >> {log}\nexit 0\n'
        )
        fake.chmod(0o755)
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(Quiet, directory=folder / "releases")
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def install(path=""):
        log.unlink(missing_ok=True)
        environment = dict(
            os.environ,
            PATH=f"{programs}:{os.environ['PATH']}",
            GTTF_RELEASES=f"http://127.0.0.1:{server.server_port}{path}",
            no_proxy="127.0.0.1",
        )
        done = subprocess.run(
            [root / "start", "install"], capture_output=True, text=True, env=environment
        )
        return done, log.read_text() if log.exists() else ""

    done, installed = install()
    assert done.returncode == 0, done.stderr
    assert installed == "a package", installed

    package.write_bytes(b"another one")
    done, installed = install()
    assert done.returncode == 1 and "damaged" in done.stderr, done.stderr
    assert installed == "", installed

    sums.write_text(f"{digest}  gttf-design_{version}_other.deb\n")
    done, installed = install()
    assert done.returncode == 1 and "no package for this processor" in done.stderr
    assert installed == "", installed

    done, installed = install("/nothing")
    assert done.returncode == 1 and "has not been released" in done.stderr
    assert installed == "", installed
    server.shutdown()
