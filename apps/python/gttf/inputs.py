# SPDX-License-Identifier: Apache-2.0
"""Conversion of Python arguments to detectors and to strings with units."""

import difflib
import json
import operator
import os
import warnings
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from . import _gttf

# Options that describe tracks, with the unit of plain numbers; None: a name.
TRACK_OPTIONS = {
    "p": "GeV",
    "pt": "GeV",
    "theta": "rad",
    "eta": "",
    "phi": "rad",
    "particle": None,
    "mass": "GeV",
    "charge": "",
    "vertex": "mm",
    "beam_spot": "mm",
    "scattering": None,
    "energy_loss": None,
    "turns": "",
    "at": None,
}
# Of studies whose results can be averages.
AVERAGE_OPTIONS = {"average": None, "luminous_region": "mm"}
TOY_OPTIONS = {"toys": "", "seed": "", "fits": None}


class InputWarning(UserWarning):
    """An input is valid but unusual, or some hits of a track are not counted."""


def _number(value):
    try:
        return str(operator.index(value))
    except TypeError:
        return repr(float(value))


def text_of(value, unit):
    """`value` as on the command line: strings are unchanged, 1 becomes "1GeV"."""
    if isinstance(value, str):
        return value
    if unit is None:
        return ",".join(map(str, value))
    if np.ndim(value) == 0:
        return _number(value) + unit
    return ",".join(_number(v) + unit for v in value)


def options_of(arguments, known):
    """Arguments that are not None, as strings. Unknown names raise TypeError."""
    arguments = dict(arguments)
    options = {}
    if not arguments.pop("own_hit", True):
        options["without_own_hit"] = ""
    for name, value in arguments.items():
        if name not in known:
            guess = difflib.get_close_matches(name, known, 1)
            raise TypeError(
                f"no argument {name!r}"
                + (f"; did you mean {guess[0]!r}?" if guess else "")
            )
        if value is None:
            continue
        options[name] = text_of(value, known[name])
        if len(options[name]) > 1 << 20:  # the reader accepts no more
            raise ValueError(f"{name}: too many values for a grid; use grid=False")
    return options


def overrides_of(changes):
    """Changes as a list of KEY=VALUE strings, from a dict, a list or one string."""
    if isinstance(changes, str):
        return [changes]
    if isinstance(changes, Mapping):
        return [f"{key}={value}" for key, value in changes.items()]
    return list(changes)


def _shipped(path):
    """Path of a detector shipped with the package, else `path` itself."""
    folder = Path(__file__).parent / "detectors"
    for name in (path, path + ".yaml"):
        if not os.path.exists(path) and (folder / name).is_file():
            return str(folder / name)
    return path


def _plain(value):
    """A NumPy number as a number of Python."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a description cannot contain {value!r}")


def read_detector(source, *, set=()):
    """Read a detector.

    source  path of a YAML file, name of a shipped detector ("cld"), YAML text
            (more than one line), or a dict with the keys of the file
    set     changes to the description, like the option `--set`:
            {"layers[L0].material": "0.1 %"}

    Raises InputError, which lists all errors. Valid but unusual descriptions
    cause an InputWarning.
    """
    overrides = overrides_of(set)
    if isinstance(source, Mapping):
        text = json.dumps(source, default=_plain)
        detector = _gttf.parse(text, "<dict>", overrides)
    elif isinstance(source, str) and "\n" in source:
        detector = _gttf.parse(source, "<text>", overrides)
    else:
        detector = _gttf.read(_shipped(os.fspath(source)), overrides)
    for warning in detector.warnings:
        warnings.warn(str(warning), InputWarning, stacklevel=2)
    return detector


def detector_of(source, set=()):
    if not isinstance(source, _gttf.Detector):
        return read_detector(source, set=set)
    return source.change(set) if set else source


def detectors_of(sources, set=()):
    if sources is None:
        return []
    if isinstance(sources, (list, tuple)):
        return [detector_of(source, set) for source in sources]
    return [detector_of(sources, set)]


def track_arrays(arguments):
    """Split `arguments` into arrays (momentum, angles, mass, charge, vertex) and
    the other options. Arrays of length 1 apply to all tracks."""
    rest = dict(arguments)

    def take(name):
        value = rest.pop(name, None)
        if value is None:
            return None
        if isinstance(value, str):
            raise TypeError(
                f"{name}: numbers in {TRACK_OPTIONS[name] or 'units of 1'}, got {value!r}"
            )
        return np.ascontiguousarray(np.atleast_1d(value), dtype=float)

    def one_of(a, b):
        if (a in rest and rest[a] is not None) == (b in rest and rest[b] is not None):
            raise TypeError(f"give either {a} or {b}")
        return take(a), take(b)

    arrays = {}
    if rest.get("theta") is None and rest.get("eta") is None:
        rest["theta"] = np.pi / 2
    theta, eta = one_of("theta", "eta")
    arrays["theta"] = theta if eta is None else 2 * np.arctan(np.exp(-eta))
    p, pt = one_of("p", "pt")
    arrays["p"] = p if pt is None else pt / np.sin(arrays["theta"])
    for name in ("phi", "mass", "charge"):
        arrays[name] = take(name)
    vertex = rest.pop("vertex", None)
    if vertex is not None:
        if len(vertex) != 3:
            raise TypeError(f"vertex: x, y and z, got {len(vertex)} values")
        for name, value in zip("xyz", vertex):
            arrays[name] = np.ascontiguousarray(np.atleast_1d(value), dtype=float)
    return {name: a for name, a in arrays.items() if a is not None}, rest
