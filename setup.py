# SPDX-License-Identifier: Apache-2.0
"""Builds the Python package gttf; CMake compiles the extension module.

$GTTF_BUILD_DIR selects an existing build folder of CMake (default: build/pip).
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

root = Path(__file__).parent.resolve()


class CMakeBuild(build_ext):
    """Builds the target gttf_python and copies its module into the package."""

    def build_extension(self, ext):
        given = os.environ.get("GTTF_BUILD_DIR")
        folder = Path(given) if given else root / "build" / "pip"
        if not given:
            subprocess.run(
                ["cmake", "-S", root, "-B", folder]
                + ["-DGTTF_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}"]
                + ["-DGTTF_APPS=OFF", "-DGTTF_TESTS=OFF"]
                + ["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_UNITY_BUILD=ON"],
                check=True,
            )
        jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count() or 2))
        subprocess.run(
            ["cmake", "--build", folder, "--target", "gttf_python", "-j", jobs],
            check=True,
        )
        target = Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(folder / "python" / "gttf" / target.name, target)


version = re.search(
    r"project\(gttf-design VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text()
)
(root / "build").mkdir(exist_ok=True)
setup(
    version=version[1],
    packages=["gttf", "gttf.detectors"],
    package_dir={"gttf": "apps/python/gttf", "gttf.detectors": "detectors"},
    package_data={
        "gttf": ["*.pyi", "py.typed"],
        "gttf.detectors": ["*.yaml", "*.csv", "*.json", "README.md"],
    },
    ext_modules=[Extension("gttf._gttf", sources=[])],
    cmdclass={"build_ext": CMakeBuild},
    options={"egg_info": {"egg_base": "build"}},
)
