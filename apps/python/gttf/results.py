# SPDX-License-Identifier: Apache-2.0
"""Results: tables with NumPy arrays as columns, and the classes of each study."""

from collections.abc import Mapping

import numpy as np

from . import _gttf
from .inputs import overrides_of, read_detector

#: Order of the track parameters in covariances: mm, mm, rad, rad, e/GeV.
PERIGEE = ("d0", "z0", "phi", "theta", "qop")
_ORDERS = {
    "perigee": PERIGEE,
    "without_inner": PERIGEE,
    "first_hit": ("u", "v", "phi", "theta", "qop"),
    "start_plane": ("x", "y", "tx", "ty", "qop"),
}


class Table(Mapping):
    """Named columns of equal length: `table["sigma_d0_um"]` is a NumPy array.

    Missing numbers are NaN.
    """

    def __init__(self, columns):
        self._columns = columns

    def __getitem__(self, name):
        return self._columns[name]

    def __iter__(self):
        return iter(self._columns)

    def __len__(self):
        return len(self._columns)

    @property
    def rows(self):
        """Number of rows."""
        return len(next(iter(self._columns.values()), ()))

    @property
    def units(self):
        """Unit of each column; "1" for fractions, "" for counts and strings."""
        return {name: _unit(name, array) for name, array in self._columns.items()}

    @property
    def definitions(self):
        """Definition of each column of scan()."""
        known = _gttf.definitions()
        return {name: known[name] for name in self._columns if name in known}

    def to_numpy(self):
        """The columns as a dict of arrays, without copies."""
        return dict(self._columns)

    def to_pandas(self):
        """A pandas.DataFrame that shares memory with this table.

        Units are in `attrs["units"]`.
        """
        import pandas

        frame = pandas.DataFrame(self._columns, copy=False)
        frame.attrs["units"] = self.units
        return frame

    def plot(self, y="sigma_pt_rel", x=None, ax=None, **style):
        """Plot column `y` against `x`, one curve for each value of the other axis.

        x      default: momentum or angle, whichever has more values
        ax     matplotlib axes; default: the current axes
        style  passed to matplotlib's plot()

        Returns the axes.
        """
        from . import figures

        return figures.curves(self, y, x, ax, style)

    def __repr__(self):
        return f"<gttf.{type(self).__name__}: {self.rows} rows, columns {', '.join(self)}>"


def _unit(name, array):
    if array.dtype == object:
        return ""
    _, unit, factor = _gttf.heading(name)
    if factor != 1:  # headings show these columns in percent
        return "1"
    return unit or ("1" if array.dtype == float else "")


class Result(Table):
    """A table with the other outputs of the program: `to_dict()` returns its JSON,
    `str()` its text output."""

    def __init__(self, columns, document, text):
        super().__init__(columns)
        self._document = document
        self._text = text

    def to_dict(self):
        """The JSON output of the program; for sensitivity() the rows of the table."""
        return self._document

    def __str__(self):
        return self._text


class Budget(Result):
    """Contributions of all layers to the errors; columns of `gttf-design budget`."""

    def plot(self, parameter="d0", ax=None):
        """Plot each layer's share of Var(`parameter`) for the first track."""
        from . import figures

        return figures.budget_bars(self, parameter, ax)


class Sensitivity(Result):
    """Derivatives of the errors; columns of `gttf-design sensitivity`."""

    def __init__(self, columns, document, text, headroom, lost_layers):
        super().__init__(columns, document, text)
        #: Table: how far each number can change within `limits`.
        self.headroom = Table(headroom)
        #: Table: errors without each layer, if `drop` was set.
        self.lost_layers = Table(lost_layers)

    def plot(self, parameter="d0", ax=None):
        """Plot the change of sigma(`parameter`) in % when a number grows by 1 %."""
        from . import figures

        return figures.sensitivity_bars(self, parameter, ax)


class Fit(Table):
    """Fitted tracks, one row per track; columns of `gttf-design fit`."""

    def __init__(self, columns, residuals, messages):
        super().__init__(columns)
        #: Table: one row per hit of the fitted tracks, if requested.
        self.residuals = Table(residuals)
        #: Diagnostics: warnings, and bad rows that were skipped.
        self.messages = messages


class Check(Result):
    """Requirements and their margins; columns of `gttf-design check`."""

    def __init__(self, columns, document, text, passed):
        super().__init__(columns, document, text)
        #: Whether all requirements are met.
        self.passed = passed


class Optimisation(Result):
    """The best design, one row per variable; columns of `gttf-design optimise`."""

    def __init__(self, columns, document, text, found, description, front):
        super().__init__(columns, document, text)
        #: Whether a design that meets all limits was found.
        self.found = found
        #: YAML description of the best design; empty if there is none.
        self.description = description
        #: Table: points of the Pareto front, if the study requests one.
        self.front = Table(front)

    @property
    def detector(self):
        """The best design as a Detector."""
        return read_detector(self.description)


class Covariances(Mapping):
    """Covariances of many tracks.

    `c["d0", "phi"]` is an array with this element for all tracks; `order` lists
    the parameters. Units: mm, rad, e/GeV. `packed` is the underlying array of
    shape (15, tracks): the lower triangle, row by row.
    """

    def __init__(self, which, packed, n_hits, status):
        self.order = _ORDERS[which]
        self.packed = packed
        #: Measuring layers crossed.
        self.n_hits = n_hits
        self._status = status

    def _row(self, names):
        i, j = sorted(map(self.order.index, names))
        return j * (j + 1) // 2 + i

    def __getitem__(self, names):
        try:
            return self.packed[self._row(names)]
        except ValueError:
            raise KeyError(names) from None

    def __iter__(self):
        return ((a, b) for i, a in enumerate(self.order) for b in self.order[: i + 1])

    def __len__(self):
        return len(self.packed)

    def __repr__(self):
        return f"<gttf.Covariances: {len(self.n_hits)} tracks, {', '.join(self.order)}>"

    @property
    def status(self):
        """`ok`, or the reason why a track has no covariance; one string per track."""
        return np.array(_gttf.statuses, dtype=object)[self._status]

    @property
    def ok(self):
        """Whether all parameters are measured, for each track."""
        return self._status == 0

    def sigma(self, name):
        """Standard deviation of a parameter, for each track."""
        return np.sqrt(self[name, name])

    def matrices(self):
        """Symmetric matrices of shape (tracks, 5, 5), a copy."""
        i, j = np.tril_indices(5)
        full = np.empty((self.packed.shape[1], 5, 5))
        full[:, i, j] = full[:, j, i] = self.packed.T
        return full


# Members of the compiled classes that return tables or figures.


def _change(detector, changes):
    """A copy with changes applied, like the option `--set`."""
    return detector._changed(overrides_of(changes))


def _profile(detector, phi=0.0):
    """Number of layers and hits and material for straight tracks, against eta.

    phi  azimuth, rad
    """
    return Table(detector._profile(phi))


def _plot(detector, ax=None):
    """Plot the layers in z and r (planes: z and x). Returns the axes."""
    from . import figures

    return figures.layout(detector, ax)


_gttf.Detector.change = _change
_gttf.Detector.profile = _profile
_gttf.Detector.plot = _plot
_gttf.Detector.layers = property(
    lambda detector: Table(detector._layers()),
    doc="Table with one row per layer: position and extent in mm, x/X0, ...",
)
_gttf.Resolution.crossings = property(
    lambda resolution: Table(resolution._crossings()),
    doc="Table with one row per crossed layer, in order of flight",
)
_gttf.Resolution.row = property(
    lambda resolution: {k: v[0] for k, v in resolution._row().items()},
    doc="the row of scan() for this track, as a dict",
)
