# SPDX-License-Identifier: Apache-2.0
"""Results: tables whose columns are NumPy arrays, and what studies add to them."""

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

    Numbers that do not exist are NaN. `units` has the unit of each column.
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
        """Column -> unit; "1" of fractions, "" of counts and texts."""
        return {name: _unit(name, array) for name, array in self._columns.items()}

    @property
    def definitions(self):
        """Column -> what it is, of the columns of scan()."""
        known = _gttf.definitions()
        return {name: known[name] for name in self._columns if name in known}

    def to_numpy(self):
        """Column -> array, as a dict. Nothing is copied."""
        return dict(self._columns)

    def to_pandas(self):
        """A pandas.DataFrame of the same memory; `attrs["units"]` has the units."""
        import pandas

        frame = pandas.DataFrame(self._columns, copy=False)
        frame.attrs["units"] = self.units
        return frame

    def plot(self, y="sigma_pt_rel", x=None, ax=None, **style):
        """Draw column `y` against `x`, a curve for each other point.

        x      default: the momentum or angle, whichever has more values
        ax     axes of matplotlib; default: the current ones
        style  as of matplotlib's plot()

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
    if factor != 1:  # told in percent
        return "1"
    return unit or ("1" if array.dtype == float else "")


class Result(Table):
    """A table; `to_dict()` is what the program writes as JSON, `str()` what it
    prints."""

    def __init__(self, columns, document, text):
        super().__init__(columns)
        self._document = document
        self._text = text

    def to_dict(self):
        """What the program writes as JSON; of sensitivity() the rows."""
        return self._document

    def __str__(self):
        return self._text


class Budget(Result):
    """What each layer contributes: columns as of `gttf-design budget`."""

    def plot(self, parameter="d0", ax=None):
        """Draw the shares of Var(`parameter`) of every layer of the first track."""
        from . import figures

        return figures.budget_bars(self, parameter, ax)


class Sensitivity(Result):
    """Derivatives of the errors: columns as of `gttf-design sensitivity`."""

    def __init__(self, columns, document, text, headroom, lost_layers):
        super().__init__(columns, document, text)
        #: Table: how far each number may go within `limits`.
        self.headroom = Table(headroom)
        #: Table: errors with every layer lost in turn, with `drop`.
        self.lost_layers = Table(lost_layers)

    def plot(self, parameter="d0", ax=None):
        """Draw the change of sigma(`parameter`) in % for 1 % more of each number."""
        from . import figures

        return figures.sensitivity_bars(self, parameter, ax)


class Fit(Table):
    """Fitted tracks, a row for each: columns as of `gttf-design fit`."""

    def __init__(self, columns, residuals, messages):
        super().__init__(columns)
        #: Table: a row for each hit of the fitted tracks, if asked for.
        self.residuals = Table(residuals)
        #: Diagnostics: warnings, and bad rows that were left out.
        self.messages = messages


class Check(Result):
    """Requirements and what there is: columns as of `gttf-design check`."""

    def __init__(self, columns, document, text, passed):
        super().__init__(columns, document, text)
        #: Whether all requirements are met.
        self.passed = passed


class Optimisation(Result):
    """The best design: a row for each variable, as of `gttf-design optimise`."""

    def __init__(self, columns, document, text, found, description, front):
        super().__init__(columns, document, text)
        #: Whether a design meets all limits.
        self.found = found
        #: YAML of the best design; empty if no track has a value.
        self.description = description
        #: Table: the points of the front, if the study asks for one.
        self.front = Table(front)

    @property
    def detector(self):
        """The best design as a Detector."""
        return read_detector(self.description)


class Covariances(Mapping):
    """Covariances of many tracks.

    `c["d0", "phi"]` is that element of all tracks, an array; the names are in
    `order`. Units: mm, rad, e/GeV. `packed` is the memory itself: 15 rows, the
    lower triangle row by row, a column for each track.
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

    @property
    def status(self):
        """Of each track `ok`, or why it has no covariance."""
        return np.array(_gttf.statuses, dtype=object)[self._status]

    @property
    def ok(self):
        """Of each track whether all parameters are measured."""
        return self._status == 0

    def sigma(self, name):
        """Standard deviation of a parameter, of each track."""
        return np.sqrt(self[name, name])

    def matrices(self):
        """A copy as symmetric matrices, of shape (tracks, 5, 5)."""
        i, j = np.tril_indices(5)
        full = np.empty((self.packed.shape[1], 5, 5))
        full[:, i, j] = full[:, j, i] = self.packed.T
        return full


# What the classes of the library have besides, as tables.


def _change(detector, changes):
    """The same detector with changes as of `--set`."""
    return detector._changed(overrides_of(changes))


def _profile(detector, phi=0.0):
    """Layers, hits and material of straight tracks against eta: a Table.

    phi  azimuth, rad
    """
    return Table(detector._profile(phi))


def _plot(detector, ax=None):
    """Draw the layers in r and z, or x and z of planes; returns the axes."""
    from . import figures

    return figures.layout(detector, ax)


_gttf.Detector.change = _change
_gttf.Detector.profile = _profile
_gttf.Detector.plot = _plot
_gttf.Detector.layers = property(
    lambda detector: Table(detector._layers()),
    doc="a Table, a row for each layer: place and extent in mm, x/X0, ...",
)
_gttf.Resolution.crossings = property(
    lambda resolution: Table(resolution._crossings()),
    doc="a Table, a row for each crossing in order of flight",
)
_gttf.Resolution.row = property(
    lambda resolution: {k: v[0] for k, v in resolution._row().items()},
    doc="the row of scan(): column -> value",
)
