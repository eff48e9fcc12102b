# SPDX-License-Identifier: Apache-2.0
"""Resolutions of tracking detectors by the General Triplet Track Fit.

Numbers are in GeV, mm, rad and e; strings carry a unit ("60 deg"). Column names
of tables end with the unit (`sigma_d0_um`). Covariances are in mm, rad and e/GeV.
Functions release the GIL. `threads=0` uses all cores; results do not depend on
the number of threads.
"""

from ._gttf import Detector, Diagnostic, FileError, InputError, Resolution
from ._gttf import version as __version__
from .inputs import InputWarning, read_detector
from .results import (
    PERIGEE,
    Budget,
    Check,
    Covariances,
    Fit,
    Optimisation,
    Result,
    Sensitivity,
    Table,
)
from .studies import (
    budget,
    check,
    covariances,
    decay,
    fit,
    optimise,
    regimes,
    resolve,
    scan,
    sensitivity,
    sweep,
    toy,
)

__all__ = [
    "PERIGEE",
    "Budget",
    "Check",
    "Covariances",
    "Detector",
    "Diagnostic",
    "FileError",
    "Fit",
    "InputError",
    "InputWarning",
    "Optimisation",
    "Resolution",
    "Result",
    "Sensitivity",
    "Table",
    "budget",
    "check",
    "covariances",
    "decay",
    "fit",
    "optimise",
    "read_detector",
    "regimes",
    "resolve",
    "scan",
    "sensitivity",
    "sweep",
    "toy",
]
