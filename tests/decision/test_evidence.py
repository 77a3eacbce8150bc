"""Tests of `decision/evidence.py`: what is known of a page beside a model's probabilities."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from htmlpages import measures_of

from crfclean.decision import evidence as evidence_module
from crfclean.decision.evidence import (
    KIND,
    LEAST_COMMENTS,
    SCORE_INPUTS,
    SHIPPED,
    THREAD_INPUTS,
    Evidence,
)
from crfclean.io import with_digest
from crfclean.model.folder import BIAS, FORMAT, load_logistic
from crfclean.types import ModelError

SAID = "I think that this winter was much worse than the last one, and we all know why that is. "
STORY = "The ferry stayed in its harbour for three weeks, for the ice on the lake was thick. "


def page_of(comments: str, head: str = "") -> Evidence:
    """A story with comments under it."""
    html = f"<html><head>{head}</head><body><h1>Ferry in the ice</h1><p>{STORY * 4}</p>"
    return Evidence(measures_of(f"{html}<div class=comments>{comments}</div></body></html>"))


def likely(evidence: Evidence, probability: float = 0.9) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.full(len(evidence), probability)


# threads


def test_inputs_of_the_gate() -> None:
    evidence = page_of(f"<p>{SAID}</p>", '<meta property="og:type" content="article">')
    assert evidence.words.tolist() == [4.0, 68.0, 19.0]
    own = evidence.thread_inputs(np.array([0.5, 1.0, 0.2]))
    clues = evidence.thread_clues
    assert own[:2] == pytest.approx([math.log(2 + 68 + 10) - 4, 0.2])
    assert tuple(own[2:]) == clues
    assert clues[:2] == (0.0, 1.0)
    assert len(own) == len(THREAD_INPUTS)


DECLARED = {
    "nothing": ("", (0.0, 0.0)),
    "an article": ('<meta property="og:type" content="article">', (0.0, 1.0)),
    "a blog": ('<script type="application/ld+json">{"@type": "BlogPosting"}</script>', (0.0, 1.0)),
    "a thread": (
        '<script type="application/ld+json">{"@type": "DiscussionForumPosting"}</script>',
        (1.0, 0.0),
    ),
    "a question": ('<script type="application/ld+json">{"@type": "QAPage"}</script>', (1.0, 0.0)),
}


@pytest.mark.parametrize(("head", "declared"), DECLARED.values(), ids=DECLARED)
def test_what_a_page_declares_to_be(head: str, declared: tuple[float, float]) -> None:
    assert page_of(f"<p>{SAID}</p>", head).thread_clues[:2] == declared


@pytest.mark.parametrize(
    ("heading", "counts"),
    [
        ("17 Comments", True),
        ("Komentáře (3)", True),
        ("19 thoughts on “Ferry in the ice”", True),
        ("{ 4 comments… read them below or add one }", True),
        ("コメント 5件", True),
        ("Comments", False),
        ("3 Replies", False),
        ("Posted on 4 May", False),
        ("I read 3 comments of the kind, " + "and they were not any better " * 5, False),
    ],
)
def test_comments_that_begin_with_their_number(heading: str, *, counts: bool) -> None:
    assert page_of(f"<h3>{heading}</h3><p>{STORY}</p>").thread_clues[3] == counts


SIGNED = "".join(
    f"<p>{SAID * 2}</p><p>Posted by: Reader {at} at November 7, 2012 {at}:56 PM</p>"
    for at in range(1, 5)
)
RARE = SIGNED.replace(f"<p>{SAID * 2}</p>", "<p>So.</p>" * 11)
UNMARKED = {
    "signed": (f"<p>{STORY}</p><h2>Comments</h2>{SIGNED}", 9),
    "in a box": (f"<p>{STORY}</p><div><h2>Opinie</h2></div><div>{SIGNED}</div>", 9),
    "a section above the article": (f"<h2>Comments</h2><p>{STORY}</p>{SIGNED}", 0),
    "no heading": (f"<p>{STORY}</p><p>Comments</p>{SIGNED}", 0),
    "too few": (f"<p>{STORY}</p><h2>Comments</h2>{SIGNED.rsplit('<p>Posted', 2)[0]}", 0),
    "far apart": (f"<p>{STORY}</p><h2>Comments</h2>{f'<p>{STORY}</p>' * 11}{SIGNED}", 0),
    "rarely": (f"<p>{STORY}</p><h2>Comments</h2><p>Bo, 9:12 AM</p>{RARE}", 0),
    "long lines": (
        f"<p>{STORY}</p><h2>Comments</h2>{SIGNED.replace('</p><p>Posted', 'Posted')}",
        0,
    ),
    "marked": (f"<p>{STORY}</p><h2>Comments</h2>{SIGNED}<p class=comment>{SAID}</p>", 1),
}
"""Page below the main heading -> how many of its blocks are comments."""


@pytest.mark.parametrize(("html", "count"), UNMARKED.values(), ids=UNMARKED)
def test_signed_texts_below_a_heading_are_comments(html: str, count: int) -> None:
    evidence = Evidence(measures_of(f"<h1>Ferry in the ice</h1><div>{html}</div>"))
    assert evidence.comments.sum() == count
    assert not evidence.comments[: len(evidence) - count].any()


@pytest.mark.parametrize(
    ("comments", "probability", "asked"),
    [
        ("", 0.9, False),
        ("<p>So true!</p>", 0.9, False),
        (f"<p>{SAID}</p>", 0.9, True),
        (f"<p>{SAID}</p>", (LEAST_COMMENTS - 1) / 19, False),
        (f"<p>{SAID}</p>", (LEAST_COMMENTS + 1) / 19, True),
    ],
)
def test_few_words_of_comments_are_not_asked_about(
    comments: str, probability: float, *, asked: bool
) -> None:
    """The type of such a page, which takes a while, is never computed."""
    evidence = page_of(comments)
    made = evidence.thread(likely(evidence, probability))
    assert (made is not None) == asked
    assert ("types" in vars(evidence)) == asked


def test_the_gate_follows_its_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    evidence = page_of(f"<h3>2 comments</h3><p>{SAID}</p>")
    weights = dict.fromkeys((*THREAD_INPUTS, BIAS), 0.0) | {"counts_comments": -2.0, BIAS: 1.0}
    monkeypatch.setattr(evidence_module, "shipped_weights", lambda: {"thread": weights})
    assert evidence.thread(likely(evidence)) == pytest.approx(1 / (1 + math.exp(1.0)))


# the file of weights


INPUTS = {"gate": ("a", "b")}
WEIGHTS = {"gate": {"a": 0.5, "b": -1.25, BIAS: 2.0}}


DAMAGES: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "kind": (lambda parts: parts | {"kind": "metadata"}, "no weights of decision"),
    "format": (lambda parts: parts | {"format": 1}, "no weights of decision"),
    "missing": (lambda parts: parts | {"weights": {}}, "malformed"),
    "input": (lambda parts: parts | {"weights": {"gate": {"a": 1.0}}}, "other inputs"),
    "order": (
        lambda parts: parts | {"weights": {"gate": {"b": 1.0, "a": 1.0, BIAS: 0.0}}},
        "other inputs",
    ),
    "nan": (
        lambda parts: parts | {"weights": {"gate": WEIGHTS["gate"] | {"a": float("nan")}}},
        "not finite",
    ),
    "text": (
        lambda parts: parts | {"weights": {"gate": WEIGHTS["gate"] | {"a": "x"}}},
        "malformed",
    ),
    "list": (lambda _: [], "malformed"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damaged_weights_are_refused(tmp_path: Path, name: str) -> None:
    change, message = DAMAGES[name]
    path = tmp_path / "weights.json"
    changed = change({"format": FORMAT, "kind": KIND, "about": {}, "weights": WEIGHTS})
    damaged = with_digest(changed) if isinstance(changed, dict) else changed
    path.write_text(json.dumps(damaged), "utf-8")
    with pytest.raises(ModelError, match=message):
        load_logistic(path, KIND, INPUTS)


def test_changed_weights_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "weights.json"
    path.write_text(SHIPPED.read_text("utf-8").replace('"forum": ', '"forum": 1'), "utf-8")
    inputs = {"thread": THREAD_INPUTS, "score": SCORE_INPUTS}
    with pytest.raises(ModelError, match="was changed"):
        load_logistic(path, KIND, inputs)
    with pytest.raises(ModelError, match="cannot be read"):
        load_logistic(tmp_path / "none.json", KIND, inputs)
