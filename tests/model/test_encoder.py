"""Tests of `model/encoder.py`."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from crfclean.model.encoder import Attributes, Encoder, fit_edges, windows_for
from crfclean.types import Floats

NO_BIN = 99  # a bin that never occurs: every value gives its attribute


def encoder(*edges: float, common: int = NO_BIN, window: tuple[int, ...] = (0,)) -> Encoder:
    """An encoder of one feature, `f`."""
    return Encoder(("f",), (edges,), (common,), (window,))


def single(*values: float) -> Floats:
    """The values as the only column."""
    return np.array(values, np.float64).reshape(-1, 1)


# Bins


@pytest.mark.parametrize(
    ("edges", "value", "expected"),
    [
        ((1.0, 2.0), -5.0, 0),
        ((1.0, 2.0), 0.999, 0),
        ((1.0, 2.0), 1.0, 0),
        ((1.0, 2.0), 1.001, 1),
        ((1.0, 2.0), 2.0, 1),
        ((1.0, 2.0), 2.001, 2),
        ((1.0, 2.0), 1e9, 2),
        ((0.0,), 0.0, 0),
        ((0.0,), 1e-12, 1),
        ((), 7.0, 0),
    ],
)
def test_edges_belong_to_the_lower_bin(
    edges: tuple[float, ...], value: float, expected: int
) -> None:
    assert encoder(*edges).bins(single(value)).tolist() == [[expected]]


# Attributes


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        ((0,), [["f=0"], ["f=1"], ["f=2"]]),
        ((1,), [["f[+1]=1"], ["f[+1]=2"], []]),
        ((-1,), [[], ["f[-1]=0"], ["f[-1]=1"]]),
        ((2,), [["f[+2]=2"], [], []]),
        ((-2,), [[], [], ["f[-2]=0"]]),
        ((3,), [[], [], []]),
        ((-3,), [[], [], []]),
        ((-1, 0, 1), [["f=0", "f[+1]=1"], ["f[-1]=0", "f=1", "f[+1]=2"], ["f[-1]=1", "f=2"]]),
    ],
)
def test_windows(window: tuple[int, ...], expected: Attributes) -> None:
    assert encoder(1.0, 2.0, window=window).encode(single(0, 2, 3)) == expected


@pytest.mark.parametrize(
    ("common", "expected"),
    [
        (0, [[], ["f=1"], ["f=2"]]),
        (1, [["f=0"], [], ["f=2"]]),
        (2, [["f=0"], ["f=1"], []]),
    ],
)
def test_common_bin_gives_no_attribute(common: int, expected: Attributes) -> None:
    assert encoder(1.0, 2.0, common=common).encode(single(0, 2, 3)) == expected


# Fitting


@pytest.mark.parametrize(
    ("values", "bins", "edges", "common"),
    [
        ([5, 5, 5], 4, (), 0),
        ([0], 8, (), 0),
        ([0, 0, 0, 1], 4, (0.0,), 0),
        ([0, 1, 1, 1], 4, (0.0,), 1),
        ([1, 2], 1, (1.0,), 0),
        ([0, 0, 1, 2, 2, 2], 2, (0.0, 1.0), 2),
        ([3, 1, 2, 4], 4, (1.0, 2.0, 3.0), 0),
        ([-1, -1, 0, 7], 2, (-1.0,), 0),
    ],
)
def test_edges_of_a_column(
    values: list[float], bins: int, edges: tuple[float, ...], common: int
) -> None:
    assert fit_edges(single(*values), bins) == ((edges,), (common,))


def test_many_values_fill_the_bins_evenly() -> None:
    values = single(*range(1_000))
    edges, _ = fit_edges(values, 4)
    sizes = Counter(encoder(*edges[0]).bins(values)[:, 0].tolist())
    assert sizes[0] == 1  # the least value stands alone: of a count it is 0
    assert all(249 <= sizes[place] <= 251 for place in range(1, 5))


@pytest.mark.parametrize(
    ("names", "wide", "reach", "expected"),
    [
        (["a", "b"], ["b"], 2, ((0,), (-2, -1, 0, 1, 2))),
        (["a", "b"], ["b"], 0, ((0,), (0,))),
        (["a"], [], 3, ((0,),)),
        (["a"], ["other"], 3, ((0,),)),
        (["a", "b"], ["a", "b"], 1, ((-1, 0, 1), (-1, 0, 1))),
        ([], ["a"], 1, ()),
    ],
)
def test_windows_for_features(
    names: list[str], wide: list[str], reach: int, expected: tuple[tuple[int, ...], ...]
) -> None:
    assert windows_for(names, wide, reach) == expected
