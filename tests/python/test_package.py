# SPDX-License-Identifier: Apache-2.0
"""Builds a wheel with pip and uses it in a virtual environment."""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

from program import ROOT

NEEDED = ("pip", "setuptools", "wheel", "venv", "ensurepip")
PROGRAM = """
import gttf
from pathlib import Path
assert Path(gttf.__file__).is_relative_to({prefix!r}), gttf.__file__
assert gttf.resolve("alice_its2", p=1, theta="90 deg").status == "ok"
print(gttf.__version__)
"""


class Package(unittest.TestCase):
    @unittest.skipUnless(
        all(map(importlib.util.find_spec, NEEDED)), "needs pip, setuptools, wheel, venv"
    )
    def test_wheel_in_a_virtual_environment(self):
        version = subprocess.run(
            [os.environ["GTTF_PROGRAM"], "--version"], capture_output=True, text=True
        ).stdout.split()[1]
        clean = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        with tempfile.TemporaryDirectory() as folder:
            # setuptools writes to the source folder
            source, prefix = Path(folder, "source"), Path(folder, "venv")
            for name in ("pyproject.toml", "setup.py", "CMakeLists.txt", "LICENSE"):
                source.mkdir(exist_ok=True)
                shutil.copy(ROOT / name, source)
            for name in ("apps/python", "detectors"):
                shutil.copytree(ROOT / name, source / name)

            def run(*command):
                done = subprocess.run(
                    list(map(str, command)), env=clean, cwd=folder,
                    capture_output=True, text=True,
                )
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                return done.stdout

            run(sys.executable, "-m", "venv", "--system-site-packages", prefix)
            pip = [prefix / "bin" / "python", "-m", "pip", "--no-input"]
            options = ["--no-build-isolation", "--no-deps", "--no-index"]
            run(*pip, "wheel", *options, "-w", folder, source)
            (wheel,) = Path(folder).glob("gttf-*.whl")
            names = zipfile.ZipFile(wheel).namelist()
            for name in ("gttf/__init__.pyi", "gttf/py.typed", "gttf/detectors/cld.yaml"):
                self.assertIn(name, names)
            run(*pip, "install", "--no-deps", "--no-index", wheel)
            python = prefix / "bin" / "python"
            program = PROGRAM.format(prefix=str(prefix))
            self.assertEqual(run(python, "-c", program).strip(), version)


if __name__ == "__main__":
    unittest.main()
