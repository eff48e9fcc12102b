# SPDX-License-Identifier: Apache-2.0
# Types of the package; tests/python/test_stubs.py compares them with it.
from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, TypedDict, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Unpack

__version__: str

Numbers = NDArray[np.float64]
Quantity = Union[str, float, Sequence[float], Numbers]
Three = Union[str, Sequence[float]]
Path = Union[str, PathLike[str]]
Source = Union["Detector", Path, Mapping[str, Any]]
Sources = Union[Source, Sequence[Source]]
Changes = Union[str, Iterable[str], Mapping[str, Any]]
Engine = Literal["streaming", "triplet"]
Grouping = Literal["layer", "surface", "group"]
Place = Literal["perigee", "without_inner", "first_hit", "start_plane"]

PERIGEE: tuple[str, ...]

class Models(TypedDict, total=False):
    particle: str
    scattering: str
    energy_loss: str
    turns: float
    beam_spot: Three

class Tracks(Models, total=False):
    p: Quantity
    pt: Quantity
    theta: Quantity
    eta: Quantity
    phi: Quantity
    mass: Quantity
    charge: Quantity
    vertex: Any
    at: str
    own_hit: bool

class AveragedTracks(Tracks, total=False):
    average: Union[str, Sequence[str]]
    luminous_region: Three

class TrackArrays(Models, total=False):
    pt: ArrayLike
    eta: ArrayLike
    mass: ArrayLike
    charge: ArrayLike
    vertex: Sequence[ArrayLike]

class MeasuredTracks(Models, total=False):
    p: Union[str, float]
    mass: Union[str, float]
    charge: Union[str, float]
    vertex: Three

class Diagnostic:
    @property
    def file(self) -> str: ...
    @property
    def line(self) -> int: ...
    @property
    def column(self) -> int: ...
    @property
    def path(self) -> str: ...
    @property
    def message(self) -> str: ...
    @property
    def suggestion(self) -> str: ...
    @property
    def severity(self) -> Literal["error", "warning"]: ...

class InputError(ValueError):
    errors: list[Diagnostic]

class FileError(ValueError): ...
class InputWarning(UserWarning): ...

class Table(Mapping[str, NDArray[Any]]):
    def __init__(self, columns: dict[str, NDArray[Any]]) -> None: ...
    def __getitem__(self, name: str) -> NDArray[Any]: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    @property
    def rows(self) -> int: ...
    @property
    def units(self) -> dict[str, str]: ...
    @property
    def definitions(self) -> dict[str, str]: ...
    def to_numpy(self) -> dict[str, NDArray[Any]]: ...
    def to_pandas(self) -> Any: ...
    def plot(
        self, y: str = ..., x: str | None = ..., ax: Any = ..., **style: Any
    ) -> Any: ...

class Result(Table):
    def to_dict(self) -> Any: ...

class Budget(Result):
    def plot(self, parameter: str = ..., ax: Any = ...) -> Any: ...  # type: ignore[override]

class Sensitivity(Result):
    headroom: Table
    lost_layers: Table
    def plot(self, parameter: str = ..., ax: Any = ...) -> Any: ...  # type: ignore[override]

class Fit(Table):
    residuals: Table
    messages: list[Diagnostic]

class Check(Result):
    passed: bool

class Optimisation(Result):
    found: bool
    description: str
    front: Table
    @property
    def detector(self) -> Detector: ...

class Covariances(Mapping[tuple[str, str], Numbers]):
    order: tuple[str, ...]
    packed: Numbers
    n_hits: NDArray[np.int32]
    def __getitem__(self, names: tuple[str, str]) -> Numbers: ...
    def __iter__(self) -> Iterator[tuple[str, str]]: ...
    def __len__(self) -> int: ...
    @property
    def status(self) -> NDArray[np.object_]: ...
    @property
    def ok(self) -> NDArray[np.bool_]: ...
    def sigma(self, name: str) -> Numbers: ...
    def matrices(self) -> Numbers: ...

class Detector:
    @property
    def name(self) -> str: ...
    @property
    def file(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def sha256(self) -> str: ...
    @property
    def field_T(self) -> float: ...
    @property
    def layer_names(self) -> list[str]: ...
    @property
    def measures(self) -> list[bool]: ...
    @property
    def warnings(self) -> list[Diagnostic]: ...
    @property
    def layers(self) -> Table: ...
    def profile(self, phi: float = ...) -> Table: ...
    def change(self, changes: Changes) -> Detector: ...
    def plot(self, ax: Any = ...) -> Any: ...
    def to_dict(self) -> dict[str, Any]: ...
    def __len__(self) -> int: ...

class Resolution:
    @property
    def status(self) -> str: ...
    @property
    def track_end(self) -> str: ...
    @property
    def regime(self) -> str: ...
    @property
    def n_hits(self) -> int: ...
    @property
    def x_over_x0(self) -> float: ...
    @property
    def sigma_p_rel(self) -> float: ...
    @property
    def sigma_pt_rel(self) -> float: ...
    @property
    def sigma_p_rel_hit_only(self) -> float: ...
    @property
    def sigma_p_rel_ms_only(self) -> float: ...
    @property
    def mu_phi(self) -> float: ...
    @property
    def mu_theta(self) -> float: ...
    @property
    def xi(self) -> float: ...
    @property
    def sigmas(self) -> dict[str, float]: ...
    @property
    def covariance(self) -> Numbers: ...
    @property
    def covariance_without_inner(self) -> Numbers: ...
    @property
    def covariance_first_hit(self) -> Numbers: ...
    @property
    def covariance_start_plane(self) -> Numbers: ...
    @property
    def crossings(self) -> Table: ...
    @property
    def row(self) -> dict[str, Any]: ...
    def to_dict(self) -> dict[str, Any]: ...

def read_detector(
    source: Path | Mapping[str, Any], *, set: Changes = ...
) -> Detector: ...
def resolve(
    detector: Source, *, set: Changes = ..., engine: Engine = ..., **tracks: Unpack[Tracks]
) -> Resolution: ...
def scan(
    detectors: Sources | None = ...,
    *,
    study: Path | None = ...,
    grid: bool = ...,
    columns: Iterable[str] = ...,
    set: Changes = ...,
    engine: Engine = ...,
    threads: int = ...,
    **tracks: Unpack[AveragedTracks],
) -> Table: ...
def sweep(
    detectors: Sources | None = ...,
    *,
    study: Path | None = ...,
    vary: Mapping[str, str | Sequence[Any]] | None = ...,
    follow: Mapping[str, str] | None = ...,
    reduce: Literal["", "mean", "worst"] = ...,
    columns: Iterable[str] = ...,
    set: Changes = ...,
    engine: Engine = ...,
    threads: int = ...,
    **tracks: Unpack[Tracks],
) -> Table: ...
def decay(
    decay: str,
    detectors: Sources | None = ...,
    *,
    study: Path | None = ...,
    configurations: int = ...,
    sqrt_s: float | None = ...,
    sigma_sqrt_s: float = ...,
    toys: int = ...,
    columns: Iterable[str] = ...,
    set: Changes = ...,
    engine: Engine = ...,
    threads: int = ...,
    **tracks: Unpack[Tracks],
) -> Table: ...
def covariances(
    detector: Source,
    p: ArrayLike | None = ...,
    theta: ArrayLike | None = ...,
    phi: ArrayLike | None = ...,
    *,
    which: Place = ...,
    out: Numbers | None = ...,
    set: Changes = ...,
    engine: Engine = ...,
    threads: int = ...,
    **tracks: Unpack[TrackArrays],
) -> Covariances: ...
def budget(
    detectors: Sources | None = ...,
    *,
    study: Path | None = ...,
    by: Grouping = ...,
    set: Changes = ...,
    **tracks: Unpack[Tracks],
) -> Budget: ...
def sensitivity(
    detectors: Sources | None = ...,
    *,
    study: Path | None = ...,
    by: Grouping | Literal[""] = ...,
    limits: Iterable[str] = ...,
    drop: bool = ...,
    set: Changes = ...,
    **tracks: Unpack[Tracks],
) -> Sensitivity: ...
def regimes(
    detectors: Sources | None = ...,
    *,
    study: Path | None = ...,
    triplets: bool = ...,
    set: Changes = ...,
    threads: int = ...,
    **tracks: Unpack[Tracks],
) -> Result: ...
def toy(
    detectors: Sources | None = ...,
    *,
    study: Path | None = ...,
    toys: int | None = ...,
    seed: int | None = ...,
    fits: str | Sequence[str] | None = ...,
    set: Changes = ...,
    threads: int = ...,
    **tracks: Unpack[AveragedTracks],
) -> Result: ...
def fit(
    detector: Source,
    hits: Path | Mapping[str, Any],
    *,
    kind: str = ...,
    weights: Literal["update", "local", "estimate"] | None = ...,
    iterations: int = ...,
    keep_order: bool = ...,
    unsorted: bool = ...,
    bad_rows: Literal["stop", "skip"] = ...,
    max_distance: float | str = ...,
    residuals: bool = ...,
    set: Changes = ...,
    threads: int = ...,
    **tracks: Unpack[MeasuredTracks],
) -> Fit: ...
def check(
    requirements: Path,
    detectors: Sources | None = ...,
    *,
    baseline: Path = ...,
    set: Changes = ...,
    threads: int = ...,
) -> Check: ...
def optimise(
    study: Path,
    *,
    starts: int = ...,
    seed: int | None = ...,
    local: bool = ...,
    set: Changes = ...,
    threads: int = ...,
) -> Optimisation: ...
