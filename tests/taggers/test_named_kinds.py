"""Tests of kinds that are asked for or left out by name: `CutParams.also` and `without`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from crfclean import CrfcleanError, Page, Tagger, clean, load
from crfclean.page.blocks import split
from crfclean.taggers.capabilities import Decides, Explains, need
from crfclean.taggers.named_kinds import ALSO_ODDS, kinds_named, lifted, raised
from crfclean.taggers.page_reasons import ALSO_PREFIX, SURE_PREFIX
from crfclean.taggers.params import CutParams, asks_for_comments
from crfclean.taggers.post import PostTagger
from crfclean.types import Kind
from crfclean.types.choices import KIND_WORDS, RULES

SENTENCE = "The river rose by two metres in a single night, and the harbour was closed until noon. "
SEEN = "I saw it from my window when the boats went by. I have never seen such a night. "
PAGE = f"""<html><head><title>River rises</title></head><body><article><h1>River rises</h1>
<p>{SENTENCE * 3}</p><figure><img src=a.jpg><figcaption>The harbour on Tuesday, seen from the old
bridge, before the water came.</figcaption></figure><p>{SENTENCE * 4}</p><h2>What comes next</h2>
<p>{SENTENCE * 3}</p></article>
<div class="comments" id="comments"><div class="comment"><p>{SEEN * 3}</p></div>
<div class="comment"><p>We have asked for a wall for ten years now, and nobody has listened to us.
</p></div></div></body></html>"""


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return load()


def changed(tagger: Tagger, **values: object) -> Tagger:
    decides = need(tagger, Decides)
    return decides.with_cut(replace(decides.cut, **values))  # type: ignore[arg-type]


def kept_kinds(tagger: Tagger) -> set[Kind]:
    document = clean(PAGE, model=tagger)
    kinds = document.kinds or ()
    return {kind for kind, kept in zip(kinds, document.tags.kept, strict=True) if kept}


@pytest.mark.parametrize("kind", [Kind.CAPTION, Kind.COMMENT])
def test_kinds_asked_for_are_let_in(tagger: Tagger, kind: Kind) -> None:
    assert kind not in kept_kinds(tagger)
    assert kind in kept_kinds(changed(tagger, also=(kind.name.lower(),)))


def test_kinds_asked_for_are_let_in_by_any_convention(tagger: Tagger) -> None:
    body = changed(tagger, keep=("body",))
    assert Kind.CAPTION not in kept_kinds(body)
    assert Kind.CAPTION in kept_kinds(changed(body, also=("caption",)))


@pytest.mark.parametrize("kind", [Kind.TITLE, Kind.HEADING, Kind.PARAGRAPH])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("keep", [("auto",), (), ("title", "body")])
def test_kinds_left_out_are_in_no_text(
    tagger: Tagger, kind: Kind, rule: str, keep: tuple[str, ...]
) -> None:
    without = changed(tagger, without=(kind.name.lower(),), rule=rule, keep=keep, threshold=0.0)
    assert kind not in kept_kinds(without)
    assert kind not in kept_kinds(PostTagger(without))


def test_nothing_named_changes_nothing(tagger: Tagger) -> None:
    blocks = split(Page(PAGE))
    tags, same = tagger.tag(blocks), changed(tagger, also=(), without=()).tag(blocks)
    assert tags.labels.tolist() == same.labels.tolist()
    assert tags.score == same.score


def test_kinds_asked_for_are_likelier(tagger: Tagger) -> None:
    marginals = np.array([[0.1, 0.4, 0.5], [0.1, 0.4, 0.5], [0.0, 0.0, 1.0]])
    likelier = raised(marginals, np.array([True, False, True]))
    assert likelier.sum(1) == pytest.approx([1, 1, 1])
    assert np.log(0.5 / likelier[0, 2] * (1 - likelier[0, 2]) / 0.5) == pytest.approx(ALSO_ODDS)
    assert likelier[0, 1] / likelier[0, 0] == pytest.approx(4)
    assert likelier[1:].tolist() == marginals[1:].tolist()


def test_sides_among_the_text_are_even() -> None:
    marginals = np.array([[0.0, 0.1, 0.9], [0.0, 0.9, 0.1], [0.0, 0.1, 0.9], [0.0, 0.9, 0.1]])
    kept, sides = np.array([False, True, False, True]), np.array([True, False, True, False])
    higher = lifted(marginals, sides, kept)
    assert higher is not None
    assert higher[:, 2].tolist() == [0.9, 0.1, 0.5, 0.1]
    assert lifted(marginals, sides, np.zeros(4, bool)) is None
    assert lifted(marginals, ~sides, kept) is None


def test_reasons_name_the_kinds(tagger: Tagger) -> None:
    named = changed(tagger, also=("caption",), without=("title",))
    reasons = need(named, Explains).explain(split(Page(PAGE)))
    features = [reason.feature for block in reasons for reason in block]
    assert features.count(ALSO_PREFIX + "caption") == features.count(SURE_PREFIX + "title") == 1


def test_a_page_without_blocks_is_empty(tagger: Tagger) -> None:
    named = changed(tagger, also=("caption", "comment"), without=("title",))
    assert clean("<p></p>", model=named).text == ""


def test_fingerprints_differ(tagger: Tagger) -> None:
    prints = {
        getattr(changed(tagger, **values), "fingerprint")  # noqa: B009
        for values in ({}, {"also": ("lead",)}, {"without": ("lead",)})
    }
    assert len(prints) == 3


@pytest.mark.parametrize(
    "values",
    [{"also": ("body",)}, {"without": ("auto",)}, {"also": ("lead",), "without": ("lead",)}],
)
def test_other_words_are_refused(values: dict[str, tuple[str, ...]]) -> None:
    with pytest.raises(CrfcleanError, match=r"also|without"):
        CutParams(**values)  # type: ignore[arg-type]


def test_comments_and_posts_stand_for_each_other() -> None:
    assert set(kinds_named(("comment",))) == set(kinds_named(("post",)))
    assert set(kinds_named(KIND_WORDS)) == set(Kind)
    assert asks_for_comments(("comment",))
