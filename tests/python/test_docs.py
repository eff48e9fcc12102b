# SPDX-License-Identifier: Apache-2.0
"""The page on Python does what it says, and the notebook runs."""

import contextlib
import importlib.util
import io
import json
import os
import re
import tempfile
import unittest
from pathlib import Path

import gttf
from program import ROOT

PAGE = ROOT / "docs" / "howto" / "python.md"
NOTEBOOK = ROOT / "docs" / "howto" / "figures.ipynb"
HAS = {name: importlib.util.find_spec(name) for name in ("pandas", "matplotlib")}


@contextlib.contextmanager
def folder_with_shipped_files():
    """As the current folder, one in which results can be written."""
    before = os.getcwd()
    os.environ["GTTF_DESIGN_DATA"] = str(ROOT)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("detectors", "configs"):
            os.symlink(ROOT / name, Path(folder, name))
        os.chdir(folder)
        try:
            yield Path(folder)
        finally:
            os.chdir(before)


def blocks(page):
    """(line, language, text) of the fenced blocks."""
    for found in re.finditer(r"^```(\w+)[^\n]*\n(.*?)^```$", page, re.M | re.S):
        yield page.count("\n", 0, found.start()) + 2, found[1], found[2]


def pattern_of(expected):
    return ".*".join(map(re.escape, expected.strip().split("...")))


@unittest.skipUnless(all(HAS.values()), "needs pandas and matplotlib")
class Docs(unittest.TestCase):
    def test_page(self):
        names, printed, n = {}, "", 0
        with folder_with_shipped_files():
            for line, language, text in blocks(PAGE.read_text()):
                if language == "python":
                    with contextlib.redirect_stdout(io.StringIO()) as out:
                        # faults are told with the line of the page
                        exec(compile("\n" * (line - 1) + text, str(PAGE), "exec"), names)
                    printed, n = out.getvalue().strip(), n + 1
                elif language == "text":
                    expected = re.compile(pattern_of(text), re.S)
                    self.assertRegex(printed, expected, f"{PAGE}:{line}")
                    self.assertTrue(expected.fullmatch(printed), f"{PAGE}:{line}:\n{printed}")
        self.assertGreater(n, 8)

    def test_notebook(self):
        notebook = json.loads(NOTEBOOK.read_text())
        self.assertEqual((notebook["nbformat"], notebook["metadata"]["kernelspec"]["language"]), (4, "python"))
        from matplotlib import pyplot

        names, figures = {}, 0
        with folder_with_shipped_files():
            for i, cell in enumerate(notebook["cells"]):
                if cell["cell_type"] != "code":
                    continue
                # figures are made again in each copy, not kept in the file
                self.assertEqual(cell["outputs"], [])
                exec(compile("".join(cell["source"]), f"cell {i}", "exec"), names)
                for number in pyplot.get_fignums():
                    for ax in pyplot.figure(number).axes:
                        self.assertTrue(ax.lines or ax.patches, f"cell {i}")
                        self.assertTrue(ax.get_xlabel(), f"cell {i}")
                    figures += 1
                pyplot.close("all")
        self.assertEqual(figures, 4)

    def test_every_function_is_on_the_page(self):
        page = PAGE.read_text()
        for name in gttf.__all__:
            if callable(getattr(gttf, name)) and name[0].islower():
                self.assertIn(name, page)


if __name__ == "__main__":
    unittest.main()
