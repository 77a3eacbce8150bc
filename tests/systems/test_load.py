"""Tests of `systems/load.py`: what taggers can do; readers' comments kept, set apart or gone."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pytest
from taggerpages import LONG, PAGES, tag_page

from crfclean.decision.expected import expected_f1
from crfclean.document.json import to_json
from crfclean.document.markdown import to_md
from crfclean.document.text import to_txt
from crfclean.page.blocks import split
from crfclean.pipeline import run
from crfclean.systems.capabilities import (
    Decides,
    HasModel,
    Judges,
    MarksComments,
    Traces,
    capability,
    need,
)
from crfclean.systems.comments import with_comments
from crfclean.systems.load import named
from crfclean.types import Blocks, Bools, CrfcleanError, Document, Label, Page, Tagger, Tags

# taggers with fewer methods


class Plain:
    """A tagger that can do nothing but keep all blocks."""

    def tag(self, blocks: Blocks) -> Tags:
        count = len(blocks)
        return Tags(np.ones(count, np.int32), np.tile([0.0, 1.0, 0.0], (count, 1)), 1.0)


@pytest.mark.parametrize("wanted", [Decides, Judges, Traces, MarksComments, HasModel])
def test_a_tagger_has_only_what_it_can(wanted: type) -> None:
    assert capability(Plain(), wanted) is None
    with pytest.raises(CrfcleanError, match=r"tagger `Plain` .*: it has no "):
        need(Plain(), wanted)


# asking


def test_a_tagger_that_only_tags_still_cleans() -> None:
    document = run(Page("<p>One two.</p>"), Plain())
    assert document.text == "One two."
    assert with_comments(document, Plain(), "separate").comments == []


# readers' comments in the text, beside it, or gone

HTML = """<p>Home</p><h1>Ferry in the ice</h1><p>It stayed for three weeks.</p>
<div class="comments"><p>What a winter!</p><p>Reply</p></div>"""


@dataclass(frozen=True)
class KeepTwoWords:
    """Keeps blocks of two words and more."""

    def tag(self, blocks: Blocks) -> Tags:
        labels = [Label.TEXT if " " in text else Label.OTHER for text in blocks.texts]
        marginals = np.full((len(blocks), 3), 0.1)
        marginals[np.arange(len(blocks)), labels] = 0.8
        return Tags(np.array(labels, np.int32), marginals, 0.5)


@dataclass(frozen=True)
class Knows(KeepTwoWords):
    """Takes the last block for a comment."""

    def comments(self, blocks: Blocks) -> Bools:
        is_last: Bools = np.arange(len(blocks)) == len(blocks) - 1
        return is_last


def document(tagger: KeepTwoWords = KeepTwoWords(), html: str = HTML) -> Document:
    return run(Page(html), tagger)


def texts(document: Document, indices: list[int]) -> list[str]:
    return [document.blocks.texts[index] for index in indices]


ARTICLE = ["Ferry in the ice", "It stayed for three weeks."]
WANTED = {
    ("marks", "keep"): ([*ARTICLE, "What a winter!"], []),
    ("marks", "separate"): (ARTICLE, ["What a winter!"]),
    ("marks", "drop"): (ARTICLE, []),
    ("own", "keep"): ([*ARTICLE, "What a winter!", "Reply"], []),
    ("own", "separate"): ([*ARTICLE, "What a winter!"], ["Reply"]),
    ("own", "drop"): ([*ARTICLE, "What a winter!"], []),
}


@pytest.mark.parametrize(("knows", "mode"), WANTED, ids=" ".join)
def test_modes(knows: str, mode: str) -> None:
    tagger = Knows() if knows == "own" else KeepTwoWords()
    made = with_comments(document(tagger), tagger, mode)
    assert (texts(made, made.kept), texts(made, made.comments)) == WANTED[knows, mode]
    assert (made.tags.comments is not None) == (mode == "separate")
    words = made.blocks.words
    assert made.score == expected_f1(made.tags.probabilities, words, made.tags.kept)


def test_marked_blocks_that_are_kept_are_comments() -> None:
    assert with_comments(document(), KeepTwoWords(), "separate").comments == [3]


def test_comments_beside_the_text_are_written_apart() -> None:
    made = with_comments(document(), KeepTwoWords(), "separate")
    assert to_txt(made) == "\n".join([*ARTICLE, "", "What a winter!", ""])
    assert to_md(made).endswith("weeks.\n\n---\n\nWhat a winter!\n")
    told = json.loads(to_json(made))
    assert told["comments"] == "What a winter!"
    assert told["text"] == "\n".join(ARTICLE)


def test_a_page_whose_text_is_all_comments_keeps_nothing_without_them() -> None:
    document = run(Page("<div class=comment><p>What a winter!</p></div>"), KeepTwoWords())
    assert document.status == "ok"
    assert with_comments(document, KeepTwoWords(), "drop").status == "nothing-kept"


# the taggers without a model: the contract of all taggers, for each of them


@pytest.fixture(params=["energy", "links", "expert"])
def ruled(request: pytest.FixtureRequest) -> Tagger:
    return named(request.param)


def test_one_label_a_block(ruled: Tagger) -> None:
    for name, html in PAGES.items():
        blocks = split(Page(html))
        tags = ruled.tag(blocks)
        assert tags.labels.shape == (len(blocks),), name
        assert tags.labels.dtype == np.int32
        assert tags.marginals.shape == (len(blocks), 3), name
        assert set(tags.labels.tolist()) <= set(Label), name


def test_a_page_is_taken_in_any_form(ruled: Tagger) -> None:
    html = f"<h1>A title of some words</h1>{f'<p>{LONG * 3}</p>' * 4}"
    expected = ruled.tag(split(Page(html))).labels
    for form in (html, html.encode(), Page(html)):
        assert np.array_equal(cast("Any", ruled).tag(form).labels, expected)
    with pytest.raises(TypeError, match="a page is str, bytes, Path"):
        cast("Any", ruled).tag(3)


def test_article_is_found(ruled: Tagger) -> None:
    html = "<ul>" + "<li><a href='/'>News of the week</a></li>" * 8 + "</ul>"
    html += f"<div><h1>A title of some words</h1>{f'<p>{LONG * 3}</p>' * 4}</div>"
    labels = tag_page(ruled, html).labels.tolist()
    assert labels[:8] == [Label.OTHER] * 8
    assert labels[9:] == [Label.TEXT] * 4
    assert labels[8] in (Label.HEADER, Label.OTHER)
