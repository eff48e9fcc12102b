#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the stable interface (docs/reference/stability.md) with interface.txt.

Reads the pages, schemas, headers and type stubs that other tests compare with
the program: verbs, options and the values they accept, exit codes, keys of the
files, members of the JSON results, columns, names of the C++ library, names
and parameters of the Python package.
What interface.txt has and the project no longer has is an error. What is new
is listed; a release records it with --update.

Usage: interface.py ROOT [--update | --complete]
  --update    write interface.txt
  --complete  what is new is an error, too
"""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path


def verbs(root):
    """Verbs, their options and the values these accept."""
    verb = None
    pending = None
    for line in (root / "docs/reference/verbs.md").read_text().splitlines():
        if match := re.match(r"## (\S+)$", line):
            verb = match[1]
            yield f"verb {verb}"
        elif verb and (match := re.match(r"  (?=-)((?:-\w,)?(--[\w-]+))(?: (\S+))?", line)):
            option = match[2]
            yield f"option {verb} {option}"
            values = match[3] or ""
            if re.fullmatch(r"[a-z0-9-]+(\|[a-z0-9-]+)+", values):
                for value in values.split("|"):
                    yield f"value {verb} {option} {value}"


def exit_codes(root):
    page = (root / "docs/reference/exit-codes.md").read_text()
    for code in re.findall(r"^\| (\d+) \|", page, re.M):
        yield f"exit {code}"


def keys(root):
    """Keys of input files and members of results, as paths in the schemas."""

    def walk(node, path):
        if isinstance(node, dict):
            for name, inner in node.get("properties", {}).items():
                yield f"{path}.{name}"
                yield from walk(inner, f"{path}.{name}")
            for name, inner in node.get("definitions", {}).items():
                yield from walk(inner, f"{path}#{name}")
            for word in ("items", "additionalProperties"):
                if isinstance(node.get(word), dict):
                    yield from walk(node[word], f"{path}[]")
            for inner in node.get("patternProperties", {}).values():
                yield from walk(inner, f"{path}[]")
            for word in ("oneOf", "anyOf", "allOf"):
                for inner in node.get(word, []):
                    yield from walk(inner, path)

    for file in sorted((root / "docs/reference/schema").glob("*.json")):
        for path in walk(json.loads(file.read_text()), file.stem):
            yield f"key {path}"


def columns(root):
    for page in ("columns.md", "toys.md"):
        text = (root / "docs/reference" / page).read_text()
        for table, rows in re.findall(
            r"<!-- columns: ([a-z]+) -->\n(.*?)<!-- end of columns -->", text, re.S
        ):
            for names in re.findall(r"^\| (`[^|]*) \|", rows, re.M):
                for name in re.findall(r"`([^`]+)`", names):
                    yield f"column {table} {name}"


def cpp_names(root):
    script = root / "tests/structure/public_headers.sh"
    # its errors are found by its own test
    listed = subprocess.run(
        ["sh", script, root, "list"], capture_output=True, text=True, check=False
    )
    for name in re.findall(r"^(\S+) gttf/", listed.stdout, re.M):
        yield f"c++ {name}"


def python_names(root):
    stubs = ast.parse((root / "apps/python/gttf/__init__.pyi").read_text())
    for node in stubs.body:
        if isinstance(node, ast.FunctionDef):
            if not node.name.startswith("_"):
                yield from function("python", node)
        elif isinstance(node, ast.ClassDef):
            yield f"python {node.name}"
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef):
                    if not inner.name.startswith("_"):
                        yield from function(f"python {node.name}.", inner)
                elif isinstance(inner, ast.AnnAssign):
                    yield f"python {node.name}.{inner.target.id}"


def function(prefix, node):
    name = f"{prefix}{node.name}" if prefix.endswith(".") else f"{prefix} {node.name}"
    yield name
    given = node.args
    for argument in given.posonlyargs + given.args + given.kwonlyargs:
        if argument.arg != "self":
            yield f"{name}({argument.arg})"


def main(arguments):
    root = Path(arguments[0]).resolve()
    recorded = Path(__file__).with_name("interface.txt")
    if (root / "tests/structure/interface.txt").exists():
        recorded = root / "tests/structure/interface.txt"
    present = set()
    for part in (verbs, exit_codes, keys, columns, cpp_names, python_names):
        found = set(part(root))
        if not found:
            sys.exit(f"interface: {part.__doc__ or part.__name__}: nothing found")
        present |= found
    if "--update" in arguments:
        recorded.write_text("".join(f"{line}\n" for line in sorted(present)))
        return 0
    expected = set(recorded.read_text().splitlines())
    for line in sorted(expected - present):
        print(f"interface: no longer there: {line}")
    new = sorted(present - expected)
    complete = "--complete" in arguments
    for line in new if complete else new[:5]:
        print(f"interface: new, not yet recorded: {line}")
    if len(new) > 5 and not complete:
        print(f"interface: ... and {len(new) - 5} more; --complete lists them")
    return 1 if expected - present or (complete and new) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
