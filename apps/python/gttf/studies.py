# SPDX-License-Identifier: Apache-2.0
"""The studies of the library, one function each.

Functions with `**tracks` accept the following arguments. Values are numbers in
the given units, or strings as on the command line of the program:

p, pt         momentum or transverse momentum, GeV: a number, a list or array, or
              "0.1GeV:100GeV:60"
theta, eta    polar angle, rad, or pseudorapidity: likewise
phi           azimuth of the momentum at the vertex, rad
particle      "pion" (default), "mu-", "proton", ...
mass, charge  GeV and e; override those of the particle
vertex        start of the tracks, mm: (x, y, z)
beam_spot     errors of the start, used as a constraint, mm: (x, y, z) or "off"
scattering    "highland" (default), "highland-total", "highland-1991", "rossi",
              "off"
energy_loss   "off" (default), "mean", "straggling", "straggling-variance"
turns         follow tracks for so many turns and count every crossing
at, own_hit   name of a layer at which position and direction are calculated, too;
              own_hit=False ignores the hit of this layer

`detectors` is a Detector, an argument of read_detector(), or a list of them.
`study` is the path of a study file; arguments override its contents. `set`
changes the detectors.
"""

import os
import tempfile

import numpy as np

from . import _gttf
from .inputs import (
    AVERAGE_OPTIONS,
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


def _names(columns):
    """A list; a text is split at commas, as on the command line."""
    if isinstance(columns, str):
        columns = () if columns == "all" else columns.replace(" ", "").split(",")
    return list(columns)


def _study(detectors, study, set, arguments, known=TRACK_OPTIONS):
    if detectors is None and study is None:
        raise TypeError("give detectors or a study")
    overrides = overrides_of(set)
    return (
        detectors_of(detectors, overrides),
        os.fspath(study or ""),
        options_of(arguments, known),
        overrides,
    )


def resolve(detector, *, set=(), engine="streaming", **tracks):
    """Calculate the resolution of one track.

    engine  "streaming" or "triplet": two implementations of the same fit

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
    """Calculate resolutions of many tracks: the columns of `gttf-design scan`.

    grid     True: every momentum at every angle, for each detector.
             False: one row per track of a single detector; p (or pt), theta (or
             eta), phi, mass, charge and the components of vertex are arrays of
             equal length, or numbers for all tracks.
    columns  names of columns, a list or a text with commas; others are not
             calculated. Default: all columns
    average  "phi", ["phi", "vertex"], "hits" or "phi,vertex:256": one row for each
             point of the grid, with the columns of averages: mean, error, rms and
             quantiles of every number, efficiency, shares of the numbers of hits
    luminous_region
             standard deviations of the vertices that are averaged over, mm:
             (x, y, z); default: the beam spot

    >>> table = gttf.scan("alice_its2", p=np.geomspace(0.1, 100, 60), eta=[0, 1])
    >>> table["sigma_pt_rel"]; table.to_pandas(); table.plot()
    """
    columns = _names(columns)
    if grid:
        return Table(
            _gttf.scan_grid(
                _study(
                    detectors,
                    study,
                    set,
                    tracks,
                    {**TRACK_OPTIONS, **AVERAGE_OPTIONS},
                ),
                engine,
                columns,
                threads,
            )
        )
    if study is not None:
        raise TypeError("study: describes a grid; not with grid=False")
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


def sweep(
    detectors=None,
    *,
    study=None,
    vary=None,
    follow=None,
    reduce="",
    columns=(),
    set=(),
    engine="streaming",
    threads=0,
    **tracks,
):
    """Calculate resolutions for all combinations of values of keys of a detector.

    vary     {"layers[L0].cylinder.radius": "20mm:30mm:11"}: key -> values, as
             strings with units or lists of them; default: as in the study
    follow   {"layers[L0].cylinder.half_length": "radius / tan(15 deg)"}: key ->
             formula, computed for each combination; default: as in the study
    reduce   "mean" or "worst": one row for all tracks of a combination
    columns  names of columns; others are not calculated. Default: all columns

    >>> gttf.sweep("cld", vary={"field.solenoid": ["2 T", "3 T"]}, p=1, eta=0)
    """
    keys = [
        f"{key}={values if isinstance(values, str) else ','.join(map(str, values))}"
        for key, values in (vary or {}).items()
    ]
    formulas = [f"{key}={text}" for key, text in (follow or {}).items()]
    if not keys and study is None:
        raise TypeError("vary: no key to vary")
    arguments = _study(detectors, study, set, tracks)
    return Table(
        _gttf.sweep(
            arguments, keys, formulas, reduce, engine, _names(columns), threads
        )
    )


def decay(
    decay,
    detectors=None,
    *,
    study=None,
    configurations=256,
    sqrt_s=None,
    sigma_sqrt_s=0,
    toys=0,
    columns=(),
    set=(),
    engine="streaming",
    threads=0,
    **tracks,
):
    """Calculate mass, vertex and recoil resolutions of a decaying particle.

    decay           "B_s0 -> mu+ mu-", "D_s+ -> (phi -> K+ K-) pi+"
    p, pt, theta, eta, phi, vertex: of the decaying particle
    configurations  directions of the products over which errors are averaged
    sqrt_s          GeV: energy of a collision at rest in which something recoils;
                    sigma_sqrt_s is its standard deviation
    toys            simulated decays for each row: columns with pulls
    columns         names of columns. Default: all

    >>> gttf.decay("B_s0 -> mu+ mu-", "cms_phase2", pt=[5, 10, 20], eta=0)
    """
    arguments = _study(detectors, study, set, tracks)
    return Table(
        _gttf.decay(
            arguments,
            decay,
            configurations,
            sqrt_s or 0,
            sigma_sqrt_s,
            toys,
            engine,
            _names(columns),
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
    """Calculate the covariances of many tracks, without copies of the results.

    p, theta, phi  GeV and rad; theta defaults to 90 deg, phi to 0. pt and eta may
                   replace p and theta. These, mass, charge and the components of
                   vertex are arrays of equal length, or numbers for all tracks
    which          "perigee"; "without_inner": without material up to the first
                   measuring layer; "first_hit": on that layer; "start_plane": on
                   the plane z = const. through the vertex
    out            array of shape (15, tracks) for the result

    >>> c = gttf.covariances("cld", p=p, theta=theta, phi=phi)
    >>> c["d0", "phi"]; c.sigma("d0"); c.matrices()
    """
    arrays, rest = track_arrays({"p": p, "theta": theta, "phi": phi, **tracks})
    n = next((a.size for a in arrays.values() if a.size != 1), 1)
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
    """Calculate the contributions of each layer's scattering and hits to the errors.

    by  "layer", "surface" or "group": one row for each

    >>> gttf.budget("cld", p=10, theta="60 deg").plot("d0")
    """
    return Budget(*_gttf.budget(_study(detectors, study, set, tracks), by))


def sensitivity(
    detectors=None, *, study=None, by="", limits=(), drop=False, set=(), **tracks
):
    """Calculate how the errors change with each number of the design.

    by      "layer", "surface" or "group"; default: each surface, unless an entry
            has many
    limits  requirements like "sigma_pt_rel=0.2 %"; the result has `headroom`
    drop    the result has `lost_layers`
    """
    return Sensitivity(
        *_gttf.sensitivity(
            _study(detectors, study, set, tracks), by, list(limits), drop
        )
    )


def regimes(
    detectors=None, *, study=None, triplets=False, set=(), threads=0, **tracks
):
    """Calculate mu and xi of tracks, or of their triplets, and which fit suffices."""
    return Result(
        *_gttf.regimes(_study(detectors, study, set, tracks), triplets, threads)
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
    """Simulate and fit tracks: biases, pulls and chi2, one row per track and fit.

    toys  number of toys for each track; default 10000
    seed  equal seeds give equal toys; default 1
    fits  "general", "hits", "scattering", ..., like `gttf-design toy --fits`
    """
    tracks.update(toys=toys, seed=seed, fits=[fits] if isinstance(fits, str) else fits)
    known = {**TRACK_OPTIONS, **TOY_OPTIONS, **AVERAGE_OPTIONS}
    return Result(*_gttf.toy(_study(detectors, study, set, tracks, known), threads))


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

    hits          path of a CSV file, a pandas.DataFrame or a dict of arrays, with
                  columns as for `gttf-design fit`: track, layer, x_mm, y_mm, z_mm
    kind          "general", "hits", "scattering", "regularised" or
                  "common-curvature"
    weights       momentum used for the scattering angles: "update", "local" or
                  "estimate"; default: "estimate" if p is given, else "update"
    iterations    number of re-linearisations
    keep_order    keep the order of the hits in each track
    unsorted      hits of one track need not be contiguous
    bad_rows      "stop" or "skip"
    max_distance  largest distance of a hit from its layer, mm
    residuals     the result has `residuals`, with one row per hit
    tracks        p, particle, vertex, beam_spot, scattering, energy_loss

    Returns a Fit, with one row per track.
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
    known += ("scattering", "energy_loss", "turns")
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
    """Check requirements: one row for each point; `passed` is the verdict.

    requirements  path of the file
    detectors     override the detectors in the file
    baseline      path of a baseline, overrides the one in the file
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
    """Find the best design within limits.

    study   path of the file with variables, objective and limits
    starts  number of starts of the search; 0: as in the file
    seed    of the starts; default: as in the file
    local   search only from the design in the file

    Warnings about the best design are in `to_dict()["warnings"]`.
    """
    if local and starts:
        raise ValueError("starts cannot be used with local")
    return Optimisation(
        *_gttf.optimise(
            os.fspath(study), overrides_of(set), starts, seed, local, threads
        )
    )
