from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from crfclean.types import Floats

HAS_AVX2: bool
LEVELS: int
REACHES: tuple[int, ...]

def elementary(x: float) -> tuple[float, float]: ...
def first_pass_columns(table: Any, labels: Floats) -> Floats: ...
def pooled(marginals: Floats, *, others: Floats, weight: float) -> Floats: ...

class Dense:
    inputs: int
    outputs: int
    def __init__(
        self,
        *,
        is_count: Any,
        mean: Any,
        deviation: Any,
        clip: float,
        members: Any,
        avx2: bool = ...,
    ) -> None: ...
    def __call__(self, columns: npt.NDArray[np.floating]) -> Floats: ...

class FirstPass:
    def __init__(
        self, network: Dense | None, *, places: Sequence[int], sources: Sequence[int]
    ) -> None: ...
    def columns(self, rows: npt.NDArray[np.float32], table: Any) -> Floats: ...

class Chain:
    def __init__(
        self,
        first: FirstPass,
        *,
        edges: Any,
        views: Any,
        barred: Any,
        transitions: Any,
        weight: float,
        passes: tuple[int, ...],
    ) -> None: ...
    def label(self, rows: npt.NDArray[np.float32], table: Any) -> tuple[Floats, Floats]: ...
    def scores(self, page_columns: Floats) -> Floats: ...
    def predict(self, page_columns: Floats) -> Floats: ...
