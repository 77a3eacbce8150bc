"""Tests of `probe.py`: fingerprints of columns, and pages of which no byte may change."""

from __future__ import annotations

from hashlib import sha256

from crfclean import firstpass
from crfclean.features import FEATURES
from crfclean.probe import PROBE, fingerprints


def test_no_byte_of_the_page_changes() -> None:
    """Every model that was ever trained is tied to it."""
    assert sha256(PROBE.encode()).hexdigest()[:16] == "065b8f37c76c6f5e"


def test_fingerprints_are_stable_and_of_one_feature_each() -> None:
    every = fingerprints(tuple(FEATURES))
    assert list(every) == list(FEATURES)
    assert fingerprints(("words",)) == {"words": every["words"]}


def test_the_probe_moves_nearly_every_feature() -> None:
    every = fingerprints(tuple(FEATURES))
    assert len(set(every.values())) > 0.8 * len(every)


def test_fingerprints_of_the_first_pass() -> None:
    every = fingerprints(firstpass.NAMES)
    assert list(every) == list(firstpass.NAMES)
    assert len(set(every.values())) > 0.9 * len(every)
    assert fingerprints(("words", "pass", "pass_up1")) == {
        **fingerprints(("words",)),
        "pass": every["pass"],
        "pass_up1": every["pass_up1"],
    }
    assert fingerprints(()) == {}
