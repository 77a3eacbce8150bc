"""Tests of `decision/evidence.py`: what is known beside a model's probabilities, and threads."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from htmlpages import measures_of

from crfclean.decision import evidence as evidence_module
from crfclean.decision.evidence import (
    DECISION_KIND,
    DECISION_WEIGHTS,
    LEAST_COMMENTS,
    THREAD_INPUTS,
    Evidence,
)
from crfclean.decision.rules import CutParams
from crfclean.decision.sums import SCORE_INPUTS
from crfclean.decision.verdict import ruled_words
from crfclean.document.json import to_dict
from crfclean.document.parts import Show
from crfclean.io import with_digest
from crfclean.model.coarse_kinds import is_comment
from crfclean.model.json_model import FORMAT
from crfclean.model.logistic import BIAS, load_logistic
from crfclean.pipeline import run
from crfclean.systems import open_model as learned_module
from crfclean.systems.capabilities import Decides, Explains, need
from crfclean.systems.comments import with_comments
from crfclean.systems.load import load
from crfclean.systems.open_model import evidence_fingerprint
from crfclean.types import Document, ModelError, Page, Tagger
from crfclean.types.choices import COMMENT_MODES

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
        ("Názory čtenářů", True),
        ("Lesermeinungen", True),
        ("Názory", False),
        ("Ein Leserbeitrag", False),
        ("{ 4 comments… read them below or add one }", True),
        ("コメント 5件", True),
        ("Comments", True),
        ("3 Replies", False),
        ("Posted on 4 May", False),
        ("I read 3 comments of the kind, " + "and they were not any better " * 5, False),
    ],
)
def test_comments_that_begin_with_their_number(heading: str, *, counts: bool) -> None:
    assert page_of(f"<h3>{heading}</h3><p>{STORY}</p>").thread_clues[3] == counts


def test_only_a_heading_names_comments_without_their_number() -> None:
    assert not page_of(f"<p>Comments</p><p>{STORY}</p>").heads_comments
    assert page_of(f"<p>2 comments</p><p>{STORY}</p>").heads_comments


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
    monkeypatch.setattr(evidence_module, "decision_weights", lambda: {"thread": weights})
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
        "a weight beyond",
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
    changed = change({"format": FORMAT, "kind": DECISION_KIND, "about": {}, "weights": WEIGHTS})
    damaged = with_digest(changed) if isinstance(changed, dict) else changed
    path.write_text(json.dumps(damaged), "utf-8")
    with pytest.raises(ModelError, match=message):
        load_logistic(path, DECISION_KIND, INPUTS)


def test_changed_weights_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "weights.json"
    path.write_text(DECISION_WEIGHTS.read_text("utf-8").replace('"forum": ', '"forum": 1'), "utf-8")
    inputs = {"thread": THREAD_INPUTS, "score": SCORE_INPUTS}
    with pytest.raises(ModelError, match="was changed"):
        load_logistic(path, DECISION_KIND, inputs)
    with pytest.raises(ModelError, match="cannot be read"):
        load_logistic(tmp_path / "none.json", DECISION_KIND, inputs)


# Readers' comments are kept on threads and left out on articles, by every learned tagger


def article(comments: int, head: str = "<meta property=og:type content=article>") -> str:
    """A post of a blog with readers' comments."""
    said = "".join(
        f"<li class=comment id=c{at}><cite class=fn>Reader {at}</cite><p>{SAID * 2}</p>"
        f"<a class=reply href=#r{at}>Reply</a></li>"
        for at in range(comments)
    )
    return (
        f"<html><head><title>Ferry in the ice - Lake News</title>{head}</head><body>"
        "<nav><a href=/>Home</a> <a href=/about>About</a></nav><main><article class=post>"
        f"<h1>Ferry in the ice</h1>{f'<p>{STORY * 4}</p>' * 5}</article>"
        f"<section id=comments><h2>{comments} comments</h2><ol>{said}</ol></section></main></body>"
    )


def records(head: str, title: str, record: str, body: str = "<body>") -> str:
    """A thread of 12 posts; `record` is a post of {name} who says {said}."""
    posts = "".join(record.format(name=f"user{at}", said=SAID * 3, at=at) for at in range(12))
    return f"<html><head>{head}</head>{body}<h1>{title}</h1>{posts}</body></html>"


DISCUSSION = '<script type="application/ld+json">{"@type": "DiscussionForumPosting"}</script>'
THREADS = {
    "XenForo": records(
        "<title>Slugs in the lettuce | Garden Forum</title>" + DISCUSSION,
        "Slugs in the lettuce",
        '<article class="message message--post js-post"><div class="message-user"><h4>'
        '<a class="username" href="/members/{at}">{name}</a></h4>Joined: 2011 Messages: {at}</div>'
        '<div class="message-main"><time>12 May 2021</time><div class="comment"><p>{said}</p></div>'
        '<a href="/reply">Reply</a></div></article>',
        '<body class="forum template-thread_view">',
    ),
    "Invision": records(
        "<title>Slugs in the lettuce - Garden Forum</title>",
        "Slugs in the lettuce",
        '<article id="elComment_{at}" class="cPost ipsComment ipsComment_parent">'
        '<aside class="ipsComment_author cAuthorPane"><h3><a href="/profile/{at}">{name}</a></h3>'
        'Members 120 posts</aside><div class="ipsComment_content"><div data-role="commentContent">'
        '<p>{said}</p></div><a href="/quote">Quote</a></div></article>',
        '<body class="ipsApp cForumTopic" data-pageapp="forums">',
    ),
    "Discourse": records(
        "<title>Slugs in the lettuce - Garden - Forum</title>" + DISCUSSION,
        "Slugs in the lettuce",
        '<div itemprop="comment" itemscope id="post_{at}" class="topic-body crawler-post">'
        '<div class="crawler-post-meta"><span class="creator"><a href="/u/{at}">{name}</a></span>'
        '<time>May 12, 2021</time></div><div class="post" itemprop="text"><p>{said}</p></div>'
        "</div>",
        '<body class="crawler topic">',
    ),
    "questions": records(
        "<title>How do I keep slugs off? - Garden Questions</title>"
        '<script type="application/ld+json">{"@type": "QAPage", "mainEntity": {"@type": "Question",'
        ' "acceptedAnswer": {"@type": "Answer"}}}</script>',
        "How do I keep slugs off?",
        '<div class="answer comment" itemprop="suggestedAnswer"><div class="post-text">'
        '<p>{said}</p></div><div class="user-details"><a href="/users/{at}">{name}</a>'
        " answered</div></div>",
        '<body class="question-page">',
    ),
}


@pytest.fixture(scope="module")
def default() -> Tagger:
    return load()


LEARNED: dict[str, Callable[[], Tagger]] = {
    "crf": load,
    "mlp": lambda: load(kind="mlp"),
    "mlp without post": lambda: replace(load(kind="mlp"), post=None),  # type: ignore[type-var]
}


@pytest.fixture(scope="module", params=LEARNED)
def learned(request: pytest.FixtureRequest) -> Tagger:
    return LEARNED[request.param]()


def said_in(document: Document) -> int:
    """How often the text has what readers say."""
    return document.text.count(SAID.strip())


@pytest.mark.parametrize("comments", [1, 5, 30])
def test_the_text_of_an_article_has_no_comments(default: Tagger, comments: int) -> None:
    document = run(Page(article(comments)), default)
    assert said_in(document) == 0
    assert document.text.count(STORY.strip()) == 20
    thread = document.tags.thread
    assert thread is None or thread < 0.5
    assert to_dict(document, Show(blocks=True))["thread"] == (
        None if thread is None else round(thread, 4)
    )


def test_the_words_of_comments_that_were_left_out_are_counted(default: Tagger) -> None:
    left_out, added = ruled_words(run(Page(article(30)), default))["comment"]
    assert left_out >= 30 * 2 * len(SAID.split())
    assert added == 0


@pytest.mark.parametrize("name", THREADS)
def test_the_text_of_a_thread_has_its_comments(default: Tagger, name: str) -> None:
    document = run(Page(THREADS[name]), default)
    assert is_comment(document.blocks).any(), "posts are marked as comments"
    assert said_in(document) >= 30


def test_listed_comments_stay_on_articles(default: Tagger) -> None:
    tagger = need(default, Decides)
    for keep, many in ((("body", "comments"), True), (("body", "threads"), False)):
        document = run(Page(article(30)), tagger.with_cut(CutParams(keep=keep)))
        assert (said_in(document) >= 30) == many
    thread = run(Page(THREADS["XenForo"]), tagger.with_cut(CutParams(keep=("body", "threads"))))
    assert said_in(thread) >= 30


# modes


def test_modes_on_an_article(learned: Tagger) -> None:
    document = run(Page(article(30)), learned)
    assert said_in(document) == 0
    modes = {mode: with_comments(document, learned, mode) for mode in COMMENT_MODES}
    assert said_in(modes["keep"]) >= 30
    assert STORY.strip() in modes["keep"].text
    assert said_in(modes["separate"]) == said_in(modes["drop"]) == 0
    separate = modes["separate"]
    texts = [separate.blocks.texts[index] for index in separate.comments]
    assert sum(SAID.strip() in text for text in texts) >= 15
    assert separate.text == modes["drop"].text == document.text
    assert separate.score == modes["drop"].score == pytest.approx(document.score)
    assert is_comment(document.blocks)[separate.comments].all()


def test_comments_that_were_barred_can_be_asked_for(default: Tagger) -> None:
    """`--comments keep` beside `--without comment`: the later word is the more special one."""
    tagger = need(default, Decides).with_cut(CutParams(without=("comment",)))
    document = run(Page(article(30)), tagger)
    assert said_in(document) == 0
    assert said_in(with_comments(document, tagger, "keep")) >= 30


def test_the_post_analysis_does_not_bring_them_back() -> None:
    """The step `paths` keeps the siblings of good blocks, wherever they stand."""
    html = article(30).replace("<section id=comments>", "").replace("</section>", "")
    html = html.replace("</article>", "").replace("<ol>", "<ol class=comments>")
    document = run(Page(html), load(kind="mlp"))
    assert said_in(document) == 0


# reasons


def test_a_comment_has_its_reason(learned: Tagger) -> None:
    document = run(Page(article(30)), learned)
    explains = need(learned, Explains)
    comments = is_comment(document.blocks)
    for inside, of_block in zip(comments, explains.explain(document.blocks, 2), strict=True):
        named = [reason for reason in of_block if reason.feature == "rule.comment"]
        assert len(named) == inside
        assert all(reason.weight < 0 for reason in named)


@pytest.mark.parametrize("name", ["DECISION_WEIGHTS", "ENDS", "PRESENCE"])
def test_all_weights_that_decide_have_a_part_in_the_fingerprint(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, other = evidence_fingerprint.__wrapped__(), tmp_path / "weights.json"
    other.write_bytes(getattr(learned_module, name).read_bytes() + b"\n")
    monkeypatch.setattr(learned_module, name, other)
    assert evidence_fingerprint.__wrapped__() != before
