# SPDX-License-Identifier: Apache-2.0
"""Figures of results, made with matplotlib."""

import numpy as np

from . import _gttf

_MOMENTA = ("p_GeV", "pt_GeV")
_ANGLES = ("eta", "theta_deg")


def _axes(ax):
    if ax is not None:
        return ax
    from matplotlib import pyplot

    return pyplot.gca()


def _varying(table, names):
    """Which of several equivalent columns (p or pT, eta or theta) the user gave: the
    one with fewer distinct values, or with rounder ones. None if nothing varies."""
    values = {name: np.unique(table[name]) for name in names if name in table}

    def length(name):
        return len(values[name]), sum(len(f"{v:.6g}") for v in values[name])

    name = min(values, key=length, default=None)
    return name if name and len(values[name]) > 1 else None


def _label(name, value):
    if isinstance(value, str):
        return value
    _, unit, _ = _gttf.heading(name)
    return f"{name.split('_')[0]} = {value:.4g} {unit}".rstrip()


def curves(table, y, x, ax, style):
    ax = _axes(ax)
    momentum, angle = _varying(table, _MOMENTA), _varying(table, _ANGLES)
    if x is None and momentum and angle:  # the one with more values
        x = max(momentum, angle, key=lambda name: len(np.unique(table[name])))
    x = x or momentum or angle or next(iter(table))
    others = [c for c in ("detector", momentum, angle, "fit") if c in table and c != x]
    others = [c for c in others if len(set(table[c])) > 1]
    x_label, x_unit, _ = _gttf.heading(x)
    y_label, _, factor = _gttf.heading(y)
    keys = list(zip(*(table[c] for c in others))) or [()] * table.rows
    for key in dict.fromkeys(keys):
        here = np.array([k == key for k in keys])
        order = np.argsort(table[x][here], kind="stable")
        label = ", ".join(map(_label, others, key)) or None
        ax.plot(
            table[x][here][order],
            factor * table[y][here][order],
            **{"label": label, **style},
        )
        if "label" in style:  # a single legend entry for all curves
            style = {**style, "label": "_"}
    if x in _MOMENTA:
        ax.set_xscale("log")
        ax.set_yscale("log")
    ax.set(xlabel=x_label, ylabel=y_label)
    if others or "label" in style:
        ax.legend()
    return ax


def budget_bars(table, parameter, ax):
    ax = _axes(ax)
    share = "share_" + parameter
    first = np.ones(table.rows, bool)
    for column in ("detector", *_MOMENTA[:1], "theta_deg"):
        first &= table[column] == table[column][0]
    first &= table["cause"] != "total"
    layers = list(dict.fromkeys(table["layer"][first]))
    left = np.zeros(len(layers))
    for cause in dict.fromkeys(table["cause"][first]):
        here = first & (table["cause"] == cause)
        width = np.array(
            [100 * np.nansum(table[share][here & (table["layer"] == l)]) for l in layers]
        )
        ax.barh([l or "beam spot" for l in layers], width, left=left, label=cause)
        left += width
    ax.invert_yaxis()
    ax.set(xlabel=f"share of Var({parameter}) [%]")
    ax.legend()
    return ax


def sensitivity_bars(table, parameter, ax):
    ax = _axes(ax)
    values = table["elasticity_" + parameter]
    first = table["key"] == table["key"]
    for column in ("detector", *_MOMENTA[:1], "theta_deg"):
        first &= table[column] == table[column][0]
    ax.barh(table["key"][first], values[first])
    ax.invert_yaxis()
    ax.set(xlabel=f"change of sigma({parameter}) [%] for 1 % more")
    return ax


def layout(detector, ax):
    ax = _axes(ax)
    lines = detector._outlines()
    for measures, label in ((True, "measures"), (False, "material only")):
        these = lines[np.array(detector.measures) == measures]
        if len(these):
            gaps = np.full((len(these), 1), np.nan)
            z = np.hstack([these[:, [0, 2]], gaps]).ravel()
            r = np.hstack([these[:, [1, 3]], gaps]).ravel()
            ax.plot(z, r, "-" if measures else ":", label=label)
    round_shapes = not any("plane" in shape for shape in detector.layers["shape"])
    ax.set(xlabel="z [mm]", ylabel="r [mm]" if round_shapes else "x [mm]")
    ax.set_title(detector.name)
    ax.legend()
    return ax
