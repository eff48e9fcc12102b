# SPDX-License-Identifier: Apache-2.0
"""The studies of the library, each a function.

Where a function takes `**tracks`, these describe them; numbers or texts as on
the command line of the program, where they mean the same:

p, pt         momentum or its part across z, GeV: a number, numbers or
              "0.1GeV:100GeV:60"
theta, eta    polar angle, rad, or pseudorapidity: the same
phi           azimuth of the momentum at the start, rad
particle      "pion", "mu-", "proton", ...
mass, charge  GeV and e, in place of those of the particle
vertex        where tracks start, mm: (x, y, z)
beam_spot     errors of the start as one more hit, mm: (x, y, z) or "off"
scattering    "highland" (default), "highland-total", "highland-1991", "rossi",
              "off"
energy_loss   "off" (default), "mean", "straggling", "straggling-variance"
at, own_hit   a layer: also its position and direction; without its own hit

`detectors` is a Detector or what read_detector() takes, or a list of them;
`study` is a study file in which tracks and detectors may stand, arguments
before it; `set` changes the detectors.
"""

import os
import tempfile

import numpy as np

from . import _gttf
from .inputs import (
    TOY_OPTIONS,
    TRACK_OPTIONS,
    detector_of,
    detectors_of,
    options_of,
    overrides_of,
    text_of,
    track_arrays,
)
from .results import (
    Budget,
    Check,
    Covariances,
    Fit,
    Optimisation,
    Result,
    Sensitivity,
    Table,
)


def _study(detectors, study, set, arguments, known=TRACK_OPTIONS):
    if detectors is None and study is None:
        raise TypeError("give detectors or a study")
    if detectors is None and set:
        raise TypeError("`set` changes the detectors that are given; here are none")
    return (
        detectors_of(detectors, set),
        os.fspath(study or ""),
        options_of(arguments, known),
    )


def resolve(detector, *, set=(), engine="streaming", **tracks):
    """The resolution of one track: covariances, sigmas, limits, regime, status.

    engine  "streaming" or "triplet": two ways to the same fit

    >>> r = gttf.resolve("alice_its2", p=1, theta="90 deg")
    >>> r.sigma_pt_rel, r.covariance, print(r)
    """
    return _gttf.resolve(
        detector_of(detector, set), options_of(tracks, TRACK_OPTIONS), engine
    )


def scan(
    detectors=None,
    *,
    study=None,
    grid=True,
    columns=(),
    set=(),
    engine="streaming",
    threads=0,
    **tracks,
):
    """Resolutions of many tracks: a Table with the columns of `gttf-design scan`.

    grid     True: every momentum at every angle, for each detector.
             False: a row for each track; p (or pt), theta (or eta), phi, mass,
             charge and the three of vertex are arrays of one length, or numbers
             for all tracks. Then there is one detector.
    columns  names; those not asked for cost nothing. Default: all

    >>> table = gttf.scan("alice_its2", p=np.geomspace(0.1, 100, 60), eta=[0, 1])
    >>> table["sigma_pt_rel"]; table.to_pandas(); table.plot()
    """
    columns = list(columns)
    if grid:
        return Table(
            _gttf.scan_grid(
                *_study(detectors, study, set, tracks), engine, columns, threads
            )
        )
    if study is not None:
        raise TypeError("a study describes a grid; give arrays")
    arrays, rest = track_arrays(tracks)
    return Table(
        _gttf.scan_tracks(
            detector_of(detectors, set),
            arrays,
            options_of(rest, TRACK_OPTIONS),
            engine,
            columns,
            threads,
        )
    )


def covariances(
    detector,
    p=None,
    theta=None,
    phi=None,
    *,
    which="perigee",
    out=None,
    set=(),
    engine="streaming",
    threads=0,
    **tracks,
):
    """Covariances of many tracks: arrays in, arrays out, without copies.

    p, theta, phi  GeV and rad; theta is 90 deg and phi 0 unless given. These, or
                   pt and eta in their place, mass, charge and the three of
                   vertex are arrays of one length, or numbers for all tracks
    which          "perigee"; "without_inner", without the material of the first
                   measuring layer and inside it; "first_hit", on that layer;
                   "start_plane", on the plane z = const. through the start
    out            array of shape (15, tracks) that takes the result

    >>> c = gttf.covariances("cld", p=p, theta=theta, phi=phi)
    >>> c["d0", "phi"]; c.sigma("d0"); c.matrices()
    """
    arrays, rest = track_arrays({"p": p, "theta": theta, "phi": phi, **tracks})
    n = max(a.size for a in arrays.values())
    packed = np.empty((15, n)) if out is None else out
    n_hits, status = np.empty(n, np.int32), np.empty(n, np.int32)
    _gttf.covariances(
        detector_of(detector, set),
        arrays,
        options_of(rest, TRACK_OPTIONS),
        engine,
        which,
        packed,
        n_hits,
        status,
        threads,
    )
    return Covariances(which, packed, n_hits, status)


def budget(detectors=None, *, study=None, by="layer", set=(), **tracks):
    """What every layer's scattering and hits contribute to the errors.

    by  "layer", "surface" or "group": what is summed over

    >>> gttf.budget("cld", p=10, theta="60 deg").plot("d0")
    """
    return Budget(*_gttf.budget(*_study(detectors, study, set, tracks), by))


def sensitivity(
    detectors=None, *, study=None, by="", limits=(), drop=False, set=(), **tracks
):
    """What a change of each layer would do to the errors.

    by      "layer", "surface" or "group"; default: layers, of large detectors
            those of one entry together
    limits  ["sigma_pt_rel=0.2 %"]: fills `headroom`
    drop    fills `lost_layers`
    """
    return Sensitivity(
        *_gttf.sensitivity(
            *_study(detectors, study, set, tracks), by, list(limits), drop
        )
    )


def regimes(
    detectors=None, *, study=None, triplets=False, set=(), threads=0, **tracks
):
    """mu and xi of tracks, or of their triplets, and which fit suffices."""
    return Result(
        *_gttf.regimes(*_study(detectors, study, set, tracks), triplets, threads)
    )


def toy(
    detectors=None,
    *,
    study=None,
    toys=None,
    seed=None,
    fits=None,
    set=(),
    threads=0,
    **tracks,
):
    """Simulate and fit tracks: biases, pulls and chi2, a row per track and fit.

    toys  of each track; default 10000
    seed  the same one gives the same toys; default 1
    fits  "general", "hits", "scattering", ..., as of `gttf-design toy --fits`
    """
    tracks.update(toys=toys, seed=seed, fits=[fits] if isinstance(fits, str) else fits)
    known = {**TRACK_OPTIONS, **TOY_OPTIONS}
    return Result(*_gttf.toy(*_study(detectors, study, set, tracks, known), threads))


def _write_hits(hits, file):
    import csv

    columns = {name: np.asarray(hits[name]) for name in hits}
    writer = csv.writer(file)
    writer.writerow(columns)
    writer.writerows(zip(*(column.tolist() for column in columns.values())))


def fit(
    detector,
    hits,
    *,
    kind="general",
    weights=None,
    iterations=0,
    keep_order=False,
    unsorted=False,
    bad_rows="stop",
    max_distance=10.0,
    residuals=False,
    set=(),
    threads=0,
    **tracks,
):
    """Fit measured tracks.

    hits          path of a CSV file, or a pandas.DataFrame or dict of arrays with
                  the columns track, layer, x_mm, y_mm, z_mm, as of `gttf-design
                  fit`
    kind          "general", "hits", "scattering", "regularised" or
                  "common-curvature"
    weights       where scattering angles come from: "update", "local" or
                  "estimate"; default: "estimate" if p is given, else "update"
    iterations    further steps, each linearised at the result of the one before
    keep_order    the hits follow each other as they stand
    unsorted      hits of one track need not stand together
    bad_rows      "stop" or "skip"
    max_distance  of a hit from its layer, mm
    residuals     fills `residuals` of the result, a row for each hit
    tracks        p, particle, vertex, beam_spot, scattering, energy_loss

    Returns a Fit, a row for each track.
    """
    if bad_rows not in ("stop", "skip"):
        raise ValueError(f'bad_rows: "stop" or "skip", got {bad_rows!r}')
    if not isinstance(hits, (str, os.PathLike)):
        with tempfile.NamedTemporaryFile("w", suffix=".csv", newline="") as file:
            _write_hits(hits, file)
            file.flush()
            return fit(
                detector,
                file.name,
                kind=kind,
                weights=weights,
                iterations=iterations,
                keep_order=keep_order,
                unsorted=unsorted,
                bad_rows=bad_rows,
                max_distance=max_distance,
                residuals=residuals,
                set=set,
                threads=threads,
                **tracks,
            )
    known = ("p", "particle", "mass", "charge", "vertex", "beam_spot")
    known += ("scattering", "energy_loss")
    return Fit(
        *_gttf.fit(
            detector_of(detector, set),
            os.fspath(hits),
            options_of(tracks, {name: TRACK_OPTIONS[name] for name in known}),
            kind,
            weights or ("estimate" if tracks.get("p") is not None else "update"),
            iterations,
            keep_order,
            unsorted,
            bad_rows == "skip",
            text_of(max_distance, "mm"),
            residuals,
            threads,
        )
    )


def check(requirements, detectors=None, *, baseline="", set=(), threads=0):
    """Check requirements: `passed`, and a row for each point.

    requirements  path of the file
    detectors     in place of those of the file
    baseline      path of a baseline, in place of that of the file
    """
    overrides = overrides_of(set)
    return Check(
        *_gttf.check(
            os.fspath(requirements),
            detectors_of(detectors, overrides),
            os.fspath(baseline),
            overrides,
            threads,
        )
    )


def optimise(study, *, starts=0, seed=None, local=False, set=(), threads=0):
    """Find the design that is best within limits.

    study   path of the file that says what may change and what is made small
    starts  of the search; 0: those of the file
    local   one solution from the design of the file
    """
    return Optimisation(
        *_gttf.optimise(
            os.fspath(study), overrides_of(set), starts, seed, local, threads
        )
    )
