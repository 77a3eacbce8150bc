"""Tests of `model/probe.py`.

Fingerprints of columns, and pages of which no byte may change.
"""

from __future__ import annotations

from hashlib import sha256

import pytest

from crfclean.model.columns import FEATURES, FIRST_PASS_NAMES
from crfclean.model.probe import (
    FORUM_PROBE,
    HEAD_PROBE,
    PROBE,
    check_features,
    fingerprints,
)
from crfclean.types import ModelError


@pytest.mark.parametrize(
    ("page", "digest"),
    [
        (PROBE, "065b8f37c76c6f5e"),
        (FORUM_PROBE, "2bc2aa07b18f51bf"),
        (HEAD_PROBE, "43a01c3d298a1c9d"),
    ],
    ids=["blocks", "forum", "head"],
)
def test_no_byte_of_the_pages_changes(page: str, digest: str) -> None:
    """Every model that was ever trained is tied to them."""
    assert sha256(page.encode()).hexdigest()[:16] == digest


PRINTS = {"words": "a", "links": "b", "depth": "c"}


@pytest.mark.parametrize(
    ("expected", "names"),
    [
        ({**PRINTS, "links": "x"}, "links"),
        ({**PRINTS, "colour": "x"}, "colour"),
        ({"words": "a", "links": "b"}, "depth"),
        ({}, "words, links, depth"),
        ({str(place): "x" for place in range(9)}, "0, 1, 2, 3, 4"),
        ({"links": "b", "words": "a", "depth": "c"}, "their order"),
    ],
    ids=["changed", "gone", "new", "all new", "many", "order"],
)
def test_other_features_are_named(expected: dict[str, str], names: str) -> None:
    message = rf"my-model: made for other features \({names} changed\): train it again"
    with pytest.raises(ModelError, match=message):
        check_features("my-model", expected, PRINTS)


def test_fingerprints_are_stable_and_of_one_feature_each() -> None:
    every = fingerprints(tuple(FEATURES))
    assert list(every) == list(FEATURES)
    assert fingerprints(("words",)) == {"words": every["words"]}


def test_fingerprints_of_the_first_pass() -> None:
    every = fingerprints(FIRST_PASS_NAMES)
    assert list(every) == list(FIRST_PASS_NAMES)
    assert len(set(every.values())) > 0.9 * len(every)
    assert fingerprints(("words", "pass", "pass_up1")) == {
        **fingerprints(("words",)),
        "pass": every["pass"],
        "pass_up1": every["pass_up1"],
    }
    assert fingerprints(()) == {}
