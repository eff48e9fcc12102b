# SPDX-License-Identifier: Apache-2.0
"""Compares the type stubs with the package; everything has a docstring."""

import ast
import inspect
import unittest
from pathlib import Path

import gttf
from gttf.inputs import TRACK_OPTIONS

STUBS = ast.parse((Path(gttf.__file__).parent / "__init__.pyi").read_text())


def stubs(kind):
    return {node.name: node for node in STUBS.body if isinstance(node, kind)}


def parameters_of(function):
    """(kind, name, has a default) of each parameter of a stub."""
    a = function.args
    optional = [None] * (len(a.args) - len(a.defaults)) + a.defaults
    found = [("either", arg.arg, d is not None) for arg, d in zip(a.args, optional)]
    found += [
        ("name", arg.arg, d is not None) for arg, d in zip(a.kwonlyargs, a.kw_defaults)
    ]
    return found + ([("rest", a.kwarg.arg, False)] if a.kwarg else [])


def parameters_of_real(function):
    kinds = {
        inspect.Parameter.POSITIONAL_OR_KEYWORD: "either",
        inspect.Parameter.KEYWORD_ONLY: "name",
        inspect.Parameter.VAR_KEYWORD: "rest",
    }
    return [
        (kinds[p.kind], p.name, p.default is not p.empty)
        for p in inspect.signature(function).parameters.values()
    ]


def public_members(cls):
    return {
        name
        for base in cls.__mro__
        if base.__module__.startswith("gttf")
        for name in vars(base)
        if not name.startswith("_")
    }


class Stubs(unittest.TestCase):
    def test_names(self):
        known = set(stubs((ast.FunctionDef, ast.ClassDef))) | {"PERIGEE"}
        types = {"Models", "Tracks", "AveragedTracks", "TrackArrays", "MeasuredTracks"}
        self.assertEqual(known - types, set(gttf.__all__))

    def test_functions(self):
        for name, stub in stubs(ast.FunctionDef).items():
            real = parameters_of_real(getattr(gttf, name))
            self.assertEqual(parameters_of(stub), real, name)

    def test_members(self):
        classes = stubs(ast.ClassDef)

        def members(name):
            if name not in classes:
                return set()
            found = set()
            for base in classes[name].bases:
                base = base.value if isinstance(base, ast.Subscript) else base
                found |= members(base.id)
            for node in classes[name].body:
                if isinstance(node, ast.FunctionDef):
                    found.add(node.name)
                elif isinstance(node, ast.AnnAssign):
                    found.add(node.target.id)
            return {m for m in found if not m.startswith("_")}

        # set by __init__, or where the exception is raised
        by_instance = {
            "Sensitivity": {"headroom", "lost_layers"},
            "Fit": {"residuals", "messages"},
            "Check": {"passed"},
            "Optimisation": {"found", "description", "front"},
            "Covariances": {"order", "packed", "n_hits"},
            "InputError": {"errors"},
        }
        for name in classes:
            cls = getattr(gttf, name, None)
            if cls is not None:
                real = public_members(cls) | by_instance.get(name, set())
                self.assertEqual(members(name), real, name)

    def test_methods(self):
        for name, stub in stubs(ast.ClassDef).items():
            cls = getattr(gttf, name, None)
            for node in stub.body if cls else ():
                member = isinstance(node, ast.FunctionDef) and vars(cls).get(node.name)
                if inspect.isfunction(member):
                    first, *real = parameters_of_real(member)
                    _, *declared = parameters_of(node)
                    self.assertEqual(
                        [p[:2] for p in declared],
                        [(kind, n) for kind, n, _ in real],
                        f"{name}.{node.name}",
                    )

    def test_track_arguments(self):
        classes = stubs(ast.ClassDef)

        def keys(name):
            own = {n.target.id for n in classes[name].body}
            return own | {
                k for base in classes[name].bases if base.id in classes for k in keys(base.id)
            }

        self.assertEqual(keys("Tracks"), set(TRACK_OPTIONS) | {"own_hit"})

    def test_everything_is_documented(self):
        for name in gttf.__all__:
            value = getattr(gttf, name)
            if name == "PERIGEE":
                continue
            self.assertTrue((value.__doc__ or "").strip(), name)
            if inspect.isclass(value):
                for member in public_members(value):
                    text = inspect.getdoc(getattr(value, member, None))
                    self.assertTrue(text, f"{name}.{member}")


if __name__ == "__main__":
    unittest.main()
