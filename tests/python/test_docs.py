# SPDX-License-Identifier: Apache-2.0
"""Runs the Python code of the README, the how-to page and the notebook."""

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
    """Changes to a temporary folder with links to detectors and studies."""
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
    def run_page(self, page):
        """Runs all Python blocks; a text block that follows is the expected output."""
        names, printed, n = {}, None, 0
        with folder_with_shipped_files():
            for line, language, text in blocks(page.read_text()):
                if language == "python":
                    # tracebacks show the line of the page
                    code = compile("\n" * (line - 1) + text, str(page), "exec")
                    with contextlib.redirect_stdout(io.StringIO()) as out:
                        exec(code, names)
                    printed, n = out.getvalue().strip(), n + 1
                    continue
                if language == "text" and printed is not None:
                    expected = re.compile(pattern_of(text), re.S)
                    if not expected.fullmatch(printed):
                        self.fail(f"{page}:{line}: the output is\n{printed}")
                printed = None
        return n

    def test_page(self):
        self.assertGreater(self.run_page(PAGE), 8)

    def test_readme(self):
        self.assertEqual(self.run_page(ROOT / "README.md"), 1)

    def test_notebook(self):
        notebook = json.loads(NOTEBOOK.read_text())
        self.assertEqual(notebook["nbformat"], 4)
        from matplotlib import pyplot

        names, figures = {}, 0
        with folder_with_shipped_files():
            for i, cell in enumerate(notebook["cells"]):
                if cell["cell_type"] != "code":
                    continue
                # the file is stored without outputs
                self.assertEqual(cell["outputs"], [])
                code = compile("".join(cell["source"]), f"cell {i}", "exec")
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(code, names)
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
