"""Tests of `papers/perceptron.py`, and of the models that it opens."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from htmlpages import measures_of

from crfclean import clean
from crfclean.decision.rules import CutParams
from crfclean.decision.verdict import RULE_PREFIX
from crfclean.model.inputs import TEXTTRACTOR, input_names
from crfclean.page.blocks import split
from crfclean.products.papers.perceptron import MlpTagger
from crfclean.products.papers.post_analysis import (
    ANALYSIS_STEPS,
    Change,
    PostParams,
    Verdict,
    analyse,
    begin,
    good_siblings,
    lonely,
    neighbours,
    parents,
)
from crfclean.products.teach.gold import GoldPage
from crfclean.systems.load import load
from crfclean.types import (
    Label,
    Page,
    Tags,
)

NAMES = tuple(TEXTTRACTOR)


@pytest.fixture(scope="module")
def posted(perceptron: Path) -> MlpTagger:
    found = load(perceptron)
    assert isinstance(found, MlpTagger)
    return found


@pytest.fixture(scope="module")
def mlp(posted: MlpTagger) -> MlpTagger:
    return replace(posted, post=None)


# the perceptron


def test_headings_are_headers(mlp: MlpTagger, demo_gold: list[GoldPage]) -> None:
    seen = set()
    for gold in demo_gold:
        page = split(gold.page)
        tags = mlp.tag(page)
        heading = page.table.in_heading
        assert np.array_equal(tags.labels[tags.kept] == Label.HEADER, heading[tags.kept])
        seen |= set(tags.labels.tolist())
    assert seen == set(Label)


# its reasons


def test_reasons_are_inputs_with_their_values(mlp: MlpTagger, demo_gold: list[GoldPage]) -> None:
    blocks = split(demo_gold[0].page)
    inputs = mlp.inputs(blocks)
    names = input_names(NAMES)
    for row, of_block in enumerate(mlp.explain(blocks, 1_000)):
        reasons = [one for one in of_block if not one.feature.startswith(RULE_PREFIX)]
        assert len(reasons) == 78
        weights = [abs(one.weight) for one in reasons]
        assert weights == sorted(weights, reverse=True)
        for one in reasons[:9]:
            assert one.value == inputs[row, names.index(one.feature)]


# its folder


# kinds and shipped models


def test_shipped_perceptron_cleans() -> None:
    text = "A paragraph of some length, with a comma and a full stop at its end. "
    html = (
        "<html><head><title>A title of some words</title></head><body>"
         "<ul>" + "<li><a href='/'>Home</a></li>" * 8 + "</ul>"
        + "<div><h1>A title of some words</h1>" + f"<p>{text * 3}</p>" * 4 + "</div>"
        + "<footer>© 2024 Us | <a href='/'>Imprint</a></footer></body></html>"
    )  # fmt: skip
    document = clean(html, model="mlp")
    assert document.kept == [8, 9, 10, 11, 12]
    assert document.tags.labels[8] == Label.HEADER
    assert document.score > 0.7


# the post-analysis behind a tagger


def test_steps_stand_before_the_taggers_reasons(
    posted: MlpTagger, mlp: MlpTagger, demo_gold: list[GoldPage]
) -> None:
    found = set()
    for gold in demo_gold:
        blocks = split(gold.page)
        changes = posted.analyse(blocks).changes()
        for own, told, steps in zip(
            mlp.explain(blocks, 2), posted.explain(blocks, 2), changes, strict=True
        ):
            assert told[len(steps) :] == own
            assert [one.feature for one in told[: len(steps)]] == [f"post.{s.step}" for s in steps]
            found |= {one.step for one in steps}
    assert found


def test_what_is_not_to_be_kept_stays_out(posted: MlpTagger) -> None:
    """Headings are barred by `keep`, and no step brings them back."""
    some = "<p>One two three.</p>" * 6
    html = f"<title>Ice on the lake</title><div>{some}</div>"
    html += f"<div><h1>Ice on the lake</h1><h2>Next</h2>{some}</div>"
    blocks = split(Page(html))
    open_to_all = posted.with_cut(CutParams("threshold", 0.0))
    assert open_to_all.tag(blocks).kept.sum() == 10, "blocks well before the title go"
    body = posted.with_cut(CutParams("threshold", 0.0, keep=("body",)))
    tags = body.tag(blocks)
    assert [blocks[place].tag for place in np.flatnonzero(tags.kept).tolist()] == ["p"] * 8


# the post-analysis

PARAMS = PostParams()


def verdict(text: str) -> Verdict:
    """`gb.a` -> good, bad, bad, almost good."""
    marks = np.array(list(text))
    return Verdict(marks == "g", marks == "a")


def shown(found: Verdict) -> str:
    pairs = zip(found.good, found.almost, strict=True)
    return "".join("g" if good else "a" if almost else "." for good, almost in pairs)


def tags(*probabilities: float, header: tuple[int, ...] = (), threshold: float = 0.5) -> Tags:
    """Tags that keep what reaches the threshold; some blocks are headings."""
    marginals = np.array([[0.0, one, 1.0 - one] for one in probabilities]).reshape(-1, 3)
    marginals[list(header)] = marginals[list(header)][:, [1, 0, 2]]
    kept = np.array(probabilities) >= threshold
    labels = np.where(kept, np.where(marginals[:, 0] > marginals[:, 1], 0, 1), 2)
    return Tags(labels.astype(np.int32), marginals, 0.0)


def paragraphs(count: int) -> str:
    return "".join(f"<p>Paragraph {number}.</p>" for number in range(count))


# begin


TITLE = "<title>Ice on the upper lake - The Probe</title>"
LAKE = "<h1>Ice on the upper lake</h1>"


@pytest.mark.parametrize(
    ("html", "before", "after"),
    [
        (f"{TITLE}{paragraphs(5)}{LAKE}{paragraphs(3)}", "g.aggaggg", "...gggggg"),
        (f"{TITLE}{paragraphs(5)}{LAKE}{paragraphs(1)}", "g.agga.", "g.agga."),
        (f"{TITLE}{LAKE}{paragraphs(3)}", "....", "g..."),
        (f"{TITLE}{paragraphs(2)}{LAKE}", "ggg", "ggg"),
        (f"{TITLE}{paragraphs(3)}{LAKE.replace('h1', 'h4')}", "ggg.", "ggg."),
        (f"{TITLE}{paragraphs(4)}<h1>Other news of the day</h1>", "gggg.", "gggg."),
        (f"{paragraphs(4)}{LAKE}", "gggg.", "gggg."),
        (f"{TITLE}{paragraphs(3)}<h2>Ice on a lake</h2><p>x</p>{LAKE}", "g....g", ".....g"),
        (f"{TITLE}{LAKE}{paragraphs(3)}{LAKE}", "..g..", "g.g.."),
    ],
    ids=[
        "before", "more before than behind", "first", "too near", "h4", "another", "no title",
        "likest", "first of equals",
    ],
)  # fmt: skip
def test_begin(html: str, before: str, after: str) -> None:
    assert shown(begin(measures_of(html), verdict(before), PARAMS)) == after


# paths


def test_siblings_of_good_blocks_are_good() -> None:
    page = measures_of(f"<div>{paragraphs(5)}</div><div>{paragraphs(3)}</div>")
    assert shown(good_siblings(page, verdict("g.g.g" + "..g"), PARAMS)) == "ggggg" + "..g"
    assert shown(good_siblings(page, verdict("g.a.g" + "..g"), PARAMS)) == "g.a.g" + "..g"
    two = replace(PARAMS, siblings=2)
    assert shown(good_siblings(page, verdict("g.a.g" + "..g"), two)) == "ggggg" + "..g"


def test_loose_text_is_a_child_of_its_element() -> None:
    page = measures_of("<div>loose<p>one</p>loose<p>two</p></div><div>alone</div><div>alone</div>")
    parent = parents(page)
    assert len(set(parent[:4].tolist())) == 1
    assert parent[4] == parent[5] != parent[0]
    assert shown(good_siblings(page, verdict("gg.g.."), PARAMS)) == "gggg.."


# lonely


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("gg......g", "gg......."),
        ("gg.....g", "gg......"),
        ("gg....g", "gg....g"),
        ("gg......g......g", "gg.............."),
        ("gg......gg......g", "gg......gg......."),
        ("g......g......g", "g.............."),
        ("......g", "......g"),
        ("gg......a", "gg......a"),
        ("...", "..."),
    ],
)
def test_lonely(before: str, after: str) -> None:
    page = measures_of(paragraphs(len(before)))
    assert shown(lonely(page, verdict(before), PARAMS)) == after


# neighbours


P, H, LI = "<p>x y</p>", "<h3>x y</h3>", "<ul><li>x y</li></ul>"


@pytest.mark.parametrize(
    ("blocks", "before", "after"),
    [
        ([P] * 9, "....g.a.g", "....g.g.g"),
        ([P] * 11, "....gaa..g.", "....gag..g."),
        ([P] * 11, "....ga...g.", "....ga...g."),
        ([P] * 9, "....gag..", "....ggg.."),
        ([P] * 9, "....a.g..", "....a.g.."),
        ([P] * 9, "ag.......", "gg......."),
        ([P] * 9, "a.g......", "a.g......"),
        ([P] * 9, "...ag....", "...ag...."),
        ([P] * 9, ".......ga", ".......gg"),
        ([P] * 9, "....ga...", "....ga..."),
        ([H] * 9, "....a..g.", "....g..g."),
        ([H] * 9, "....a...g", "....a...g"),
        ([H] * 9, ".a..a..a.", ".a..g..a."),
        ([H] * 9, ".g..a....", ".g..a...."),
        ([LI] * 9, "...gag...", "...ggg..."),
        ([LI] * 9, "...gaa...", "...gga..."),
        ([LI] * 9, "...aaa...", "...aaa..."),
        ([LI] * 9, "...g.a.g.", "...g.a.g."),
        ([P] * 9, "...g...g.", "...g...g."),
    ],
)  # fmt: skip
def test_neighbours(blocks: list[str], before: str, after: str) -> None:
    page = measures_of("".join(blocks[: len(before)]))
    assert shown(neighbours(page, verdict(before), PARAMS)) == after


# all steps


ARTICLE = (
    f"{TITLE}<ul><li>Home</li><li>News</li><li>Contact</li></ul>{LAKE}"
    f"<div>{paragraphs(4)}</div><h2>Next</h2><footer>All rights reserved.</footer>"
    + "<p>x</p>" * 6
    + "<p>The last one.</p>"
)
GIVEN = tags(
    0.9, 0.1, 0.1, 0.2, 0.9, 0.9, 0.1, 0.9, 0.1, 0.1, *[0.1] * 6, 0.8, header=(3, 8)
)  # fmt: skip


def test_analysis_of_a_page() -> None:
    found = analyse(split(Page(ARTICLE)), GIVEN)
    assert np.flatnonzero(found.tags.kept).tolist() == [3, 4, 5, 6, 7]
    assert found.before is GIVEN
    assert list(found.verdicts) == list(ANALYSIS_STEPS)
    assert [(place, one) for place, one in enumerate(found.changes()) if one] == [
        (0, (Change("begin", kept=False),)),
        (3, (Change("begin", kept=True),)),
        (6, (Change("paths", kept=True),)),
        (16, (Change("lonely", kept=False),)),
    ]
    assert found.tags.labels[3] == Label.HEADER
    assert found.tags.labels[6] == Label.TEXT
    assert found.tags.labels.dtype == np.int32
