"""Tests of `taggers/threads.py`: readers' comments are kept on threads, left out on articles."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hostile import HOSTILE

from crfclean import clean
from crfclean.cli.options import open_tagger
from crfclean.features.kinds import is_comment
from crfclean.io import with_digest
from crfclean.page.blocks import split
from crfclean.page.decode import decode
from crfclean.page.latest import measured
from crfclean.page.measures import Measures
from crfclean.pipeline import run
from crfclean.site import run_site
from crfclean.taggers import threads
from crfclean.taggers.capabilities import Decides, Explains, fingerprint, need
from crfclean.taggers.comments import COMMENT_MODES, with_comments
from crfclean.taggers.decision import expected_f1
from crfclean.taggers.learned import BlockFacts, decide
from crfclean.taggers.load import load
from crfclean.taggers.page_reasons import COMMENT_REASON, page_reasons
from crfclean.taggers.params import CutParams, asks_for_threads
from crfclean.taggers.threads import (
    CLUES,
    LEAST_WORDS,
    SHIPPED_GATE,
    PageClues,
    ThreadVerdict,
    counts_comments,
    gate_fingerprint,
    gate_inputs,
    load_gate,
    page_clues,
    save_gate,
    shipped_gate,
    verdict,
    verdict_of,
)
from crfclean.types import CoarseKind, CrfcleanError, Document, Label, ModelError, Page, Tagger
from crfclean.types.choices import RULES
from crfclean.writers.formats import to_explanation
from crfclean.writers.json import to_dict

Command = Callable[..., Any]

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


@pytest.fixture(scope="module")
def blog(default: Tagger) -> Document:
    """A blog post with 30 comments."""
    return run(Page(article(30)), default)


def is_data(value: object) -> bool:
    return isinstance(value, bytes | str)


def said_in(document: Document) -> int:
    """How often the text has what readers say."""
    return document.text.count(SAID.strip())


# the default


def test_the_text_of_an_article_has_no_comments(blog: Document) -> None:
    assert said_in(blog) == 0
    assert blog.text.count(STORY.strip()) == 20
    assert blog.status == "ok"
    left_out = blog.tags.comments_left_out
    assert left_out is not None
    assert left_out.thread < 0.5
    assert left_out.kept.sum() >= 30
    assert left_out.inside.sum() >= left_out.kept.sum()
    assert (left_out.inside | ~left_out.kept).all()
    words = measured(blog.blocks).words
    assert blog.score == expected_f1(blog.tags.probabilities, words, blog.tags.kept)
    assert (blog.tags.probabilities[left_out.inside] == 0).all()


@pytest.mark.parametrize("name", THREADS)
def test_the_text_of_a_thread_has_its_comments(default: Tagger, name: str) -> None:
    document = run(Page(THREADS[name]), default)
    assert is_comment(Measures(document.blocks)).any(), "posts are marked as comments"
    assert said_in(document) >= 30
    assert document.tags.comments_left_out is None


def test_a_thread_is_told_by_what_it_declares() -> None:
    declared = page_clues(Measures(split(Page(THREADS["questions"]))))
    assert (declared.declares_thread, declared.declares_article) == (True, False)
    post = page_clues(Measures(split(Page(article(3)))))
    assert (post.declares_thread, post.declares_article) == (False, True)
    assert declared.forum > post.forum


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
    html = f"<h1>Ferry</h1><p>2 comments</p><div class=comments><h3>{heading}</h3><p>{STORY}</div>"
    page = Measures(split(Page(html)))
    assert counts_comments(page) == page_clues(page).counts_comments == counts


def test_the_number_of_comments_speaks_against_a_thread() -> None:
    assert shipped_gate()["counts_comments"] < 0


def test_a_few_words_of_comments_are_not_asked_about(
    default: Tagger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The type of such a page is never computed."""

    def refuse(page: Measures) -> PageClues:
        raise AssertionError("asked")

    monkeypatch.setattr(threads, "page_clues", refuse)
    html = "<h1>Ferry in the ice</h1><p>{}</p><div class=comments><p>So true!</p></div>"
    for page in (Page(html.format(STORY * 5)), Page(article(0)), Page("")):
        assert run(page, default).tags.comments_left_out is None
    with pytest.raises(AssertionError, match="asked"):
        run(Page(article(3)), default)


@pytest.mark.parametrize("name", [name for name, data in HOSTILE.items() if is_data(data)])
def test_no_page_is_too_bad(name: str) -> None:
    measures = Measures(split(decode(HOSTILE[name])))  # type: ignore[arg-type]
    even = np.full((len(measures), 3), 1 / 3)
    made = verdict(measures, even)
    assert made is None or 0 <= made.probability <= 1


def test_the_same_page_has_the_same_text(default: Tagger, blog: Document) -> None:
    again = run(Page(article(30)), default)
    assert np.array_equal(again.tags.labels, blog.tags.labels)
    assert np.array_equal(again.tags.marginals, blog.tags.marginals)
    assert to_dict(again) == to_dict(blog)


def test_the_address_changes_nothing(blog: Document) -> None:
    there = clean(article(30), "https://forum.example.org/viewtopic.php?t=7")
    assert there.text == blog.text


# the gate


def test_what_the_gate_is_told() -> None:
    words = np.array([90.0, 20.0, 20.0])
    expected = np.array([90.0, 10.0, 0.0])
    inside = np.array([False, True, True])
    clues = PageClues(True, False, forum=-2.5, counts_comments=True)
    inputs = gate_inputs(expected, words, inside, clues)
    assert inputs.tolist() == pytest.approx([math.log(100) - 4, 0.25, 1, 0, -2.5, 1, 1])
    assert len(inputs) == len(CLUES) == len(shipped_gate())


def test_a_verdict_follows_the_weights() -> None:
    marginals = np.array([[0.0, 0.9, 0.1], [0.0, 0.9, 0.1]])
    words, inside = np.array([50.0, 50.0]), np.array([False, True])
    clues = PageClues(False, True, forum=-4.0, counts_comments=False)
    made = verdict_of(marginals, words, inside, lambda: clues)
    assert made is not None
    inputs = gate_inputs(words * 0.9, words, inside, clues)
    logit = float(inputs @ list(shipped_gate().values()))
    assert made.probability == pytest.approx(1 / (1 + math.exp(-logit)))
    thread = verdict_of(marginals, words, inside, lambda: clues._replace(forum=4.0))
    assert thread is not None
    assert thread.probability > made.probability


@pytest.mark.parametrize("words", [0.0, LEAST_WORDS - 1, LEAST_WORDS])
def test_the_least_words_of_comments(words: float) -> None:
    clues = PageClues(False, False, forum=0.0, counts_comments=False)
    made = verdict_of(np.array([[0, 1.0, 0]]), np.array([words]), np.ones(1, bool), lambda: clues)
    assert (made is not None) == (words >= LEAST_WORDS)


@pytest.mark.parametrize("probability", [0.0, 1e-9, 0.3, 0.5, 1.0])
def test_a_thread_is_likelier_than_not(probability: float) -> None:
    assert ThreadVerdict(np.ones(1, bool), probability).is_thread == (probability >= 0.5)


# the decision


ROWS = np.array([[0.0, 0.9, 0.1], [0.0, 0.8, 0.2], [0.0, 0.4, 0.6], [0.0, 0.9, 0.1]])
WORDS = np.array([20.0, 20.0, 15.0, 200.0])
KINDS = np.array([CoarseKind.BODY, CoarseKind.BODY, CoarseKind.BODY, CoarseKind.COMMENTS])
BEST = np.array([1, 1, 2, 1], np.int32)


def verdict_is(probability: float) -> BlockFacts:
    return BlockFacts(WORDS, KINDS, ThreadVerdict(KINDS == CoarseKind.COMMENTS, probability))


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_chooses_without_the_comments(rule: str) -> None:
    params = CutParams(rule, precision=0.6)
    tags = decide(ROWS, BEST, verdict_is(0.2), params)
    assert tags.labels[3] == Label.OTHER
    alone = decide(ROWS[:3], BEST[:3], BlockFacts(WORDS[:3], KINDS[:3]), params)
    assert tags.labels[:3].tolist() == alone.labels.tolist()
    assert tags.score == pytest.approx(alone.score)
    assert tags.comments_left_out is not None
    assert tags.comments_left_out.kept.tolist() == [False, False, False, True]
    assert np.array_equal(tags.comments_left_out.marginals, ROWS)


@pytest.mark.parametrize("rule", RULES)
def test_on_a_thread_nothing_changes(rule: str) -> None:
    tags = decide(ROWS, BEST, verdict_is(0.5), CutParams(rule))
    plain = decide(ROWS, BEST, BlockFacts(WORDS, KINDS), CutParams(rule))
    assert tags.labels.tolist() == plain.labels.tolist()
    assert tags.comments_left_out is None


def test_a_choice_among_the_rest_is_made_without_them() -> None:
    """With 200 sure words of comments the third block is not worth its words."""
    rows = ROWS.copy()
    rows[2] = (0.0, 0.46, 0.54)
    kept = {
        probability: decide(rows, BEST, verdict_is(probability), CutParams()).kept.tolist()
        for probability in (0.0, 1.0)
    }
    assert kept[1.0] == [True, True, False, True]
    assert kept[0.0] == [True, True, True, False]


KEPT = {
    (): True,
    ("threads",): True,
    ("body", "headers", "threads"): True,
    ("comments",): False,
    ("threads", "comments"): False,
    ("body",): False,
    ("body", "title", "headers"): False,
}


@pytest.mark.parametrize("keep", KEPT)
def test_listed_kinds_are_decided_as_listed(keep: tuple[str, ...]) -> None:
    assert asks_for_threads(CutParams(keep=keep).keep) == KEPT[keep]


def test_listed_comments_stay_on_articles(default: Tagger) -> None:
    tagger = need(default, Decides)
    for keep, many in ((("body", "comments"), True), (("body", "threads"), False)):
        document = run(Page(article(30)), tagger.with_cut(CutParams(keep=keep)))
        assert (said_in(document) >= 30) == many
    thread = run(Page(THREADS["XenForo"]), tagger.with_cut(CutParams(keep=("body", "threads"))))
    assert said_in(thread) >= 30


# every learned tagger, every mode


LEARNED = {
    "crf": {},
    "crf with post": {"post": True},
    "mlp": {"kind": "mlp"},
    "mlp without post": {"kind": "mlp", "post": False},
    "auto": {"kind": "auto"},
}


def opened(name: str) -> Tagger:
    options = {"model": "default", "kind": None, "post": None, "post_steps": None}
    none = {"rule": None, "threshold": None, "precision": None, "keep": None}
    return open_tagger(**{**options, **none, **LEARNED[name]})  # type: ignore[arg-type]


@pytest.fixture(scope="module", params=LEARNED)
def learned(request: pytest.FixtureRequest) -> Tagger:
    return opened(request.param)


def test_modes_on_an_article(learned: Tagger) -> None:
    document = run(Page(article(30)), learned)
    assert said_in(document) == 0
    modes = {mode: with_comments(document, learned, mode) for mode in COMMENT_MODES}
    assert said_in(modes["keep"]) >= 30
    assert said_in(modes["separate"]) == said_in(modes["drop"]) == 0
    separate = modes["separate"]
    texts = [separate.blocks.texts[index] for index in separate.comments]
    assert sum(SAID.strip() in text for text in texts) >= 15
    assert separate.text == modes["drop"].text == document.text
    assert separate.score == modes["drop"].score == document.score
    assert all(made.tags.comments_left_out is None for made in modes.values())
    marked = is_comment(measured(document.blocks))
    assert (separate.tags.probabilities[separate.comments] > 0).all()
    assert marked[separate.comments].all()


def test_modes_on_a_thread(learned: Tagger) -> None:
    document = run(Page(THREADS["Invision"]), learned)
    modes = {mode: with_comments(document, learned, mode) for mode in COMMENT_MODES}
    assert modes["keep"].text == document.text
    assert said_in(modes["separate"]) == said_in(modes["drop"])
    assert said_in(modes["drop"]) < said_in(document)


def test_a_site_leaves_them_out_as_well(default: Tagger) -> None:
    winters = ["cold", "dark", "long", "wet"]  # what four pages say alike is no text of theirs
    pages = [Page(article(20).replace("this winter", f"this {name} winter")) for name in winters]
    for document in run_site(pages, default):
        assert "much worse than" not in document.text
        assert document.tags.comments_left_out is not None
        assert with_comments(document, default, "keep").text.count("much worse than") >= 20


def test_the_post_analysis_does_not_bring_them_back() -> None:
    """The step `paths` keeps the siblings of good blocks, wherever they stand."""
    html = article(30).replace("<section id=comments>", "").replace("</section>", "")
    html = html.replace("</article>", "").replace("<ol>", "<ol class=comments>")
    document = run(Page(html), opened("crf with post"))
    assert said_in(document) == 0


# reasons


def test_a_comment_has_its_reason(learned: Tagger) -> None:
    page = Page(article(30))
    document = run(page, learned)
    left_out = document.tags.comments_left_out
    assert left_out is not None
    try:
        reasons = need(learned, Explains).explain(document.blocks, 2)
    except CrfcleanError:
        return  # auto gives no reasons
    for inside, of_block in zip(left_out.inside, reasons, strict=True):
        named = [reason for reason in of_block if reason.feature == COMMENT_REASON]
        assert len(named) == inside
        assert all(reason.value == pytest.approx(left_out.thread) for reason in named)
        assert all(reason.weight < 0 for reason in named)
    assert f"{COMMENT_REASON}={left_out.thread:.3g} -" in to_explanation(document, reasons)


def test_posts_of_threads_have_theirs(default: Tagger) -> None:
    blocks = split(Page(THREADS["questions"]))
    reasons = need(default, Explains).explain(blocks, 1)
    named = [reason for row in reasons for reason in row if reason.feature == COMMENT_REASON]
    assert named
    assert all(reason.weight > 0 for reason in named)


def test_no_reason_where_nothing_was_asked() -> None:
    page = measured(split(Page(article(3))))
    even = np.tile([0.0, 0.9, 0.1], (len(page), 1))
    assert page_reasons(page, even, CutParams())
    assert page_reasons(page, even, CutParams(keep=("comments",))) == {}
    assert page_reasons(measured(split(Page(""))), np.zeros((0, 3)), CutParams()) == {}


def test_explain_shows_it(crfclean: Command, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(article(30), "utf-8")
    done = crfclean("explain", tmp_path / "a.html")
    assert done.out.count("comment.thread=0.") >= 30


def test_rows_say_what_was_left_out(default: Tagger, blog: Document) -> None:
    left_out = blog.tags.comments_left_out
    assert left_out is not None
    row = to_dict(blog)["comments_left_out"]
    assert row == {"blocks": int(left_out.kept.sum()), "thread": round(left_out.thread, 4)}
    assert "comments_left_out" not in to_dict(run(Page(THREADS["Discourse"]), default))
    assert "comments_left_out" not in to_dict(with_comments(blog, default, "drop"))


# the file of weights


def test_the_shipped_gate_can_be_read() -> None:
    assert tuple(shipped_gate()) == CLUES
    assert shipped_gate()["declares_thread"] > 0 > shipped_gate()["log_outside"]
    assert shipped_gate()["forum"] > 0 < shipped_gate()["sure_inside"]


def test_what_is_saved_is_read(tmp_path: Path) -> None:
    weights = dict.fromkeys(CLUES, 0.5)
    for name in ("a", "b"):
        save_gate(tmp_path / name, weights, {"sets": ["own"]})
    assert load_gate(tmp_path / "a") == weights
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


DAMAGES: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "kind": (lambda parts: parts | {"kind": "metadata"}, "no gate of threads"),
    "format": (lambda parts: parts | {"format": 1}, "no gate of threads"),
    "clue": (lambda parts: parts | {"weights": {"forum": 1.0}}, "no finite weights"),
    "order": (
        lambda parts: parts | {"weights": dict(reversed(parts["weights"].items()))},
        "no finite weights",
    ),
    "nan": (
        lambda parts: parts | {"weights": parts["weights"] | {"forum": float("nan")}},
        "no finite weights",
    ),
    "text": (lambda parts: parts | {"weights": parts["weights"] | {"bias": "x"}}, "malformed"),
    "list": (lambda _: [], "malformed"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damaged_gates_are_refused(tmp_path: Path, name: str) -> None:
    change, message = DAMAGES[name]
    changed = change(json.loads(SHIPPED_GATE.read_text("utf-8")))
    damaged = with_digest(changed) if isinstance(changed, dict) else changed
    (tmp_path / "gate.json").write_text(json.dumps(damaged), "utf-8")
    with pytest.raises(ModelError, match=message):
        load_gate(tmp_path / "gate.json")


def test_a_changed_gate_is_refused(tmp_path: Path) -> None:
    text = SHIPPED_GATE.read_text("utf-8").replace('"forum": 0.', '"forum": 1.')
    (tmp_path / "gate.json").write_text(text, "utf-8")
    with pytest.raises(ModelError, match="was changed"):
        load_gate(tmp_path / "gate.json")
    with pytest.raises(ModelError, match="cannot be read"):
        load_gate(tmp_path / "none.json")


def test_labels_depend_on_the_gate(default: Tagger, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fingerprint says so, but not where comments are listed."""
    tagger = need(default, Decides)
    listed = tagger.with_cut(CutParams(keep=("comments",)))
    before = {name: fingerprint(replace(one)) for name, one in {"d": tagger, "l": listed}.items()}  # type: ignore[type-var]
    assert len(gate_fingerprint()) == 16
    monkeypatch.setattr(threads, "shipped_gate", lambda: dict.fromkeys(CLUES, 1.0))
    after = {name: fingerprint(replace(one)) for name, one in {"d": tagger, "l": listed}.items()}  # type: ignore[type-var]
    assert before["d"] != after["d"]
    assert before["l"] == after["l"]
