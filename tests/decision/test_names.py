"""Tests of `decision/names.py`: the names of blocks, and what their weights change."""

from __future__ import annotations

import numpy as np
import pytest
from decided import decided
from htmlpages import measures_of

from crfclean.decision.evidence import Evidence
from crfclean.decision.names import block_names, shifts
from crfclean.decision.rules import CutParams
from crfclean.decision.verdict import RULE_PREFIX, with_rules
from crfclean.types import CrfcleanError, Rule

PAGE = """<body><main id="story"><h1>Ferry in the ice</h1>
<div class="entry post-4711"><p>The ferry stayed in its harbour for a week.</p>
<p>The ice was as thick as a hand.</p></div>
<div class="guidelines"><p>Read our guidelines.</p></div></main></body>"""
FERRY, GUIDELINES = "The ferry stayed", "Read our guidelines"


def test_blocks_have_the_names_that_other_pages_may_have() -> None:
    names = block_names(Evidence(measures_of(PAGE)))
    assert names[1] == {
        *("#story", ".entry", "div.entry p", ":paragraph"),
        '"the ferry stayed in its harbour for a week."',
    }
    assert {"#story", "main#story h1"} <= names[0]
    assert not {".post-4711", ".entry"} & names[3]


def test_the_weights_of_all_names_of_a_block_are_added() -> None:
    evidence = Evidence(measures_of(PAGE))
    added = shifts(evidence, {".entry": 1.5, "#story": 0.25, ".elsewhere": 9.0})
    assert added.tolist() == [0.25, 1.75, 1.75, 0.25]


def test_names_take_and_add_blocks_and_leave_the_others() -> None:
    plain = decided(PAGE, {"": 0.9, "thick": 0.1})
    names = ((".guidelines", -6.0), ('"the ice was as thick as a hand."', 6.0))
    made = decided(PAGE, {"": 0.9, "thick": 0.1}, names=names)
    assert GUIDELINES in plain.text
    assert GUIDELINES not in made.text
    assert "thick" in made.text
    assert (made.rule(GUIDELINES), made.rule(FERRY)) == (Rule.NAMES, Rule.NONE)
    assert made.probability(FERRY) == plain.probability(FERRY)
    assert made.probability(GUIDELINES) == pytest.approx(1 / (1 + np.exp(6.0) / 9))


def test_what_the_user_chose_by_name_stays_out() -> None:
    made = decided(PAGE, 0.9, without=("heading", "title"), names=(("#story", 9.0),))
    assert "Ferry in the ice" not in made.text


def test_the_reason_tells_the_change() -> None:
    made = decided(PAGE, 0.9, names=((".guidelines", -6.0),))
    said = with_rules(made.tags, [[] for _ in made.page.texts])[made.place(GUIDELINES)][0]
    assert said.feature == RULE_PREFIX + "names"
    assert said.weight == pytest.approx(-6.0)


@pytest.mark.parametrize("weight", [float("nan"), float("inf"), "high", None])
def test_weights_are_numbers(weight: object) -> None:
    with pytest.raises(CrfcleanError, match=r"names: the weight of \.entry"):
        CutParams(names=((".entry", weight),))  # type: ignore[arg-type]
