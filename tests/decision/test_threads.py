"""Readers' comments are kept on threads and left out on articles, by every learned tagger."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from crfclean.decision.rules import CutParams
from crfclean.decision.verdict import ruled_words
from crfclean.document.json import to_dict
from crfclean.model.zones import is_comment
from crfclean.page.measures import measured
from crfclean.pipeline import run
from crfclean.systems import crf as learned_module
from crfclean.systems.crf import evidence_fingerprint
from crfclean.systems.load import (
    COMMENT_MODES,
    Decides,
    Explains,
    fingerprint,
    load,
    need,
    with_comments,
)
from crfclean.systems.perceptron import with_post
from crfclean.types import Document, Page, Tagger

SAID = "I think that this winter was much worse than the last one, and we all know why that is. "
STORY = "The ferry stayed in its harbour for three weeks, for the ice on the lake was thick. "


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


LEARNED = {
    "crf": ("crf", None),
    "crf with post": ("crf", True),
    "mlp": ("mlp", None),
    "mlp without post": ("mlp", False),
}


def opened(name: str) -> Tagger:
    kind, post = LEARNED[name]
    return with_post(load("default", kind), post)


@pytest.fixture(scope="module", params=LEARNED)
def learned(request: pytest.FixtureRequest) -> Tagger:
    return opened(request.param)


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
    assert to_dict(document)["thread"] == (None if thread is None else round(thread, 4))


def test_the_words_of_comments_that_were_left_out_are_counted(default: Tagger) -> None:
    left_out, added = ruled_words(run(Page(article(30)), default))["comment"]
    assert left_out >= 30 * 2 * len(SAID.split())
    assert added == 0


@pytest.mark.parametrize("name", THREADS)
def test_the_text_of_a_thread_has_its_comments(default: Tagger, name: str) -> None:
    document = run(Page(THREADS[name]), default)
    assert is_comment(measured(document.blocks)).any(), "posts are marked as comments"
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
    assert is_comment(measured(document.blocks))[separate.comments].all()


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
    document = run(Page(html), opened("crf with post"))
    assert said_in(document) == 0


# reasons


def test_a_comment_has_its_reason(learned: Tagger) -> None:
    document = run(Page(article(30)), learned)
    explains = need(learned, Explains)
    comments = is_comment(measured(document.blocks))
    for inside, of_block in zip(comments, explains.explain(document.blocks, 2), strict=True):
        named = [reason for reason in of_block if reason.feature == "rule.comment"]
        assert len(named) == inside
        assert all(reason.weight < 0 for reason in named)


def test_the_same_page_has_the_same_text(default: Tagger) -> None:
    first, again = (run(Page(article(30)), default) for _ in range(2))
    assert np.array_equal(again.tags.labels, first.tags.labels)
    assert np.array_equal(again.tags.marginals, first.tags.marginals)
    assert to_dict(again) == to_dict(first)


def test_labels_depend_on_the_weights(default: Tagger, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fingerprint of a tagger says so: runs with other weights are not mixed."""
    before = fingerprint(replace(default))  # type: ignore[type-var]
    monkeypatch.setattr(learned_module, "evidence_fingerprint", lambda: "0" * 16)
    assert fingerprint(replace(default)) != before  # type: ignore[type-var]


@pytest.mark.parametrize("name", ["SHIPPED", "ENDS", "PRESENCE"])
def test_all_weights_that_decide_have_a_part_in_the_fingerprint(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, other = evidence_fingerprint.__wrapped__(), tmp_path / "weights.json"
    other.write_bytes(getattr(learned_module, name).read_bytes() + b"\n")
    monkeypatch.setattr(learned_module, name, other)
    assert evidence_fingerprint.__wrapped__() != before
