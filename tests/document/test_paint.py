"""Tests of `document/overlay.py`."""

from __future__ import annotations

import re

import numpy as np
import pytest

from crfclean.document.overlay import paint_of
from crfclean.page.blocks import split
from crfclean.shell import read_asset, script_digest
from crfclean.types import Document, Kind, LikelyKind, Page, Tags

LABELS = {True: 1, False: 2}


def painted(kept: list[bool], probabilities: list[float]) -> str:
    """The attributes of blocks, joined."""
    blocks = split(Page("".join(f"<p>Words {number}." for number in range(len(kept)))))
    marginals = np.array([[0.0, share, 1.0 - share] for share in probabilities]).reshape(-1, 3)
    tags = Tags(np.array([LABELS[each] for each in kept], np.int32), marginals, 0.5)
    kinds, likely = [Kind.PARAGRAPH] * len(kept), [LikelyKind(0.0, Kind.PARAGRAPH, 0.0)] * len(kept)
    document = Document(None, blocks, tags, kinds=kinds, likely_kinds=likely)
    return ";".join(paint_of(document, len(kept)).attributes)


@pytest.mark.parametrize(
    ("kept", "probability", "name"),
    [
        (True, 1.0, "k9"),
        (True, 0.55, "k5"),
        (True, 0.0, "k0"),
        (False, 0.0, "d9"),
        (False, 0.55, "d4"),
        (False, 1.0, "d0"),
    ],
)
def test_strength(kept: bool, probability: float, name: str) -> None:  # noqa: FBT001
    assert painted([kept], [probability]) == f' data-crf-paint="{name}"'


def test_the_probability_of_a_kind_stands_beside_it() -> None:
    blocks = split(Page("<nav>Home</nav><p>Words."))
    marginals = np.array([[0.0, 0.1, 0.9]] * 2)
    likely = [LikelyKind(share, Kind.NAVIGATION, 0.874) for share in (0.874, 0.1)]
    tags, kinds = Tags(np.array([2, 2]), marginals, 0.5), [Kind.NAVIGATION, Kind.TEASER]
    document = Document(None, blocks, tags, kinds=kinds, likely_kinds=likely)
    marks = [each.partition("kind=")[2] for each in paint_of(document, 2).attributes]
    assert marks == ['"navigation 87%"', '"teaser 10%"']


def test_the_policy_names_the_one_script() -> None:
    head = paint_of(Document(None, split(Page("")), Tags(np.zeros(0), np.zeros((0, 3)), 0)), 0).head
    scripts = re.findall(r"<script>(.*?)</script>", head, re.DOTALL)
    assert scripts == [read_asset("frame.js")]
    assert f"script-src {script_digest(scripts[0])};" in head
    assert head.index("Content-Security-Policy") < head.index("<style") < head.index("<script")
    assert "'unsafe-inline'" not in head.partition("script-src")[2].partition(";")[0]
