"""Tests of `decision/verdict.py`: what of a page is its text, and why."""

from __future__ import annotations

from dataclasses import replace
from math import log
from typing import Any

import numpy as np
import pytest
from decided import ARTICLE, Decided, decided, is_kept, knowing, marginals_of
from htmlpages import measures_of

from crfclean.decision import verdict
from crfclean.decision.evidence import Evidence
from crfclean.decision.expected import expected_f1
from crfclean.decision.rules import CutParams
from crfclean.decision.sums import SCORE_INPUTS, score_inputs
from crfclean.decision.verdict import (
    ALSO_ODDS,
    RULE_PREFIX,
    decide,
    relabelled,
    ruled_words,
    with_rules,
)
from crfclean.document.json import to_dict
from crfclean.document.parts import Show
from crfclean.model.block_kinds import kinds_of
from crfclean.model.logistic import BIAS
from crfclean.page.blocks import split
from crfclean.page.site import text_keys
from crfclean.types import Kind, Label, Page, Presence, Reason, Rule
from crfclean.types.choices import KIND_WORDS, RULES

PROSE = "The ferry stayed in its harbour, and nobody on the island could buy bread for a week. "
SAID = "I think that this winter was much worse than the last one, and we all know why that is. "
CAPTION = "The harbour on Monday, seen from the mill above the lake."
TITLE = "Ferry in the ice"
PAGE = f"""<html><head><title>{TITLE} - Lake News</title></head><body>
<nav><a href=/>Home</a></nav><main><h1>{TITLE}</h1><p class=byline>By Ada Reed, 4 May 2024</p>
<p>First. {PROSE * 3}</p><figure><img src=a.jpg><figcaption>{CAPTION}</figcaption></figure>
<h2>What helped</h2><p>Last. {PROSE * 4}</p></main>
<section class=comments><h3>2 comments</h3><p>{SAID * 2}</p><p>So true. {SAID}</p></section>
<div class=related-posts><a href=b>A colder lake</a></div></body></html>"""
LIKELY = {"": 0.9, "Home": 0.05, "A colder lake": 0.3}
FORUM = {"types": {"article": 0.0, "forum": 0.9}}


def told(made: Decided) -> list[str]:
    """The first words of the kept lines."""
    return [line[:5].strip() for line in made.text.splitlines()]


# conventions: what a text consists of, weighed as evidence

ARTICLE_LINES = ["Ferry", "First", "What", "Last."]
KEPT: dict[str, list[str]] = {
    "auto": ["Ferry", "By Ad", "First", "What", "Last."],  # annotators differ on bylines
    "article": ARTICLE_LINES,
    "body": ["First", "What", "Last."],
    "page": ["Ferry", "By Ad", "First", "The h", "What", "Last."],
    "everything": ["Ferry", "By Ad", "First", "The h", "What", "Last.", "2 com", "I thi", "So tr"],
}


@pytest.mark.parametrize("convention", KEPT)
def test_conventions_of_an_article(convention: str) -> None:
    made = decided(PAGE, LIKELY, {**ARTICLE, "thread": 0.05}, convention=convention)
    assert told(made) == KEPT[convention]


def test_a_title_of_one_word_is_no_body() -> None:
    """It was kept: words are asked about from one expected word on, and it has 0.95."""
    made = decided(f"<title>Ice</title><h1>Ice</h1><p>{PROSE * 3}</p>", 0.95, convention="body")
    assert not is_kept(made, "Ice")


def test_without_a_convention_the_model_says_what_belongs_to_a_text() -> None:
    made = decided(PAGE, LIKELY, {**ARTICLE, "thread": 0.05})
    assert is_kept(made, CAPTION)
    assert is_kept(made, "By Ada")
    assert not is_kept(made, "So true.")


def test_what_stands_beside_an_article_is_part_of_other_pages() -> None:
    for article, kept in ((1.0, False), (0.6, False), (0.1, True)):
        known = {"types": {"article": article, "forum": 0.0}, "thread": 0.05}
        made = decided(PAGE, LIKELY, known, convention="auto", rule="threshold")
        assert is_kept(made, CAPTION) == kept, article


def test_a_type_is_not_computed_where_nothing_stands_beside() -> None:
    page = measures_of(f"<h1>{TITLE}</h1><p>{PROSE * 3}</p>")
    evidence, marginals = Evidence(page), np.tile([0.0, 0.9, 0.1], (len(page), 1))
    decide(evidence, marginals, CutParams(convention="auto"))
    assert "types" not in vars(evidence)


def test_what_is_doubtful_is_kept_on_services() -> None:
    html = f"<h1>{TITLE}</h1><p>{PROSE * 3}</p><p>Last. {PROSE * 3}</p>"
    for kind, convention in (
        ("service", "auto"),
        ("service", ""),
        ("article", "auto"),
        ("product", "auto"),
    ):
        known = {"types": {kind: 1.0}}
        made = decided(html, {"": 0.8, "Last": 0.3}, known, convention=convention)
        assert is_kept(made, "Last") == ((kind, convention) == ("service", "auto"))


def test_where_the_model_is_sure_no_more_is_kept() -> None:
    html = f"<h1>{TITLE}</h1><p>{PROSE * 9}</p><p>Last of all the ice melted in the sun.</p>"
    made = decided(html, {"": 1.0, "Last": 0.4}, {"types": {"service": 1.0}}, convention="auto")
    assert not is_kept(made, "Last")


REVIEWED = f"""<h1>{TITLE}</h1><p>{PROSE * 3}</p>
<div class="product-reviews"><p>Five stars. {PROSE}</p></div>"""


@pytest.mark.parametrize(
    ("html", "product", "params", "kept"),
    [
        (REVIEWED, 0.9, {"convention": "auto"}, False),
        (REVIEWED, 0.4, {"convention": "auto"}, True),
        (REVIEWED, 0.9, {"convention": "auto", "also": ("comment",)}, True),
        (REVIEWED, 0.9, {"convention": "page"}, True),
        (f"<div class=reviews>{REVIEWED}</div>", 0.9, {"convention": "auto"}, True),
    ],
)
def test_reviews_of_customers(
    html: str, product: float, params: dict[str, Any], *, kept: bool
) -> None:
    made = decided(html, 0.9, {"types": {"product": product}}, **params)
    assert is_kept(made, "Five stars") == kept
    assert (made.rule("Five stars") == Rule.COMMENT) != kept


# comments


def test_comments_on_an_article_are_left_out() -> None:
    made = decided(PAGE, LIKELY, {**ARTICLE, "thread": 0.1})
    assert SAID not in made.text
    assert made.rule("So true.") == Rule.COMMENT
    assert made.probability("So true.") == pytest.approx(0.018)
    assert made.tags.thread == 0.1


@pytest.mark.parametrize(
    ("thread", "heading", "outside", "kept"),
    [
        (0.3, "17 comments", PROSE * 3, False),
        (0.5, "17 comments", PROSE * 3, True),  # below .5, a forum lost all its posts
        (0.3, "17 comments", "Ice", False),  # hardly any other text
        (0.3, "Comments", "Ice", False),
        (0.3, "Ice again", "Ice", True),  # `class="comment"` on all paragraphs
    ],
)
def test_comments_are_one_decision(
    thread: float, heading: str, outside: str, *, kept: bool
) -> None:
    """At .3 of .9 each, a thousand words of comments were kept for a short article."""
    html = f"""<h1>Ice</h1><p>{outside}</p><div class="comments"><h3>{heading}</h3>
        <p>So true. {PROSE * 9}</p><p>Not at all. {PROSE * 9}</p></div>"""
    made = decided(html, 0.9, {**ARTICLE, "thread": thread}, convention="auto")
    assert is_kept(made, "So true") == is_kept(made, "Not at all") == kept


@pytest.mark.parametrize(
    ("box", "shown", "rule"),
    [
        ("<div class='hidden'>", 0.9, Rule.COPY),
        ("<div class='x d-none'>", 0.9, Rule.COPY),
        ("<div class='print-only'>", 0.9, Rule.COPY),
        ("<div class='hidden'>", 0.2, Rule.NONE),  # what it shows is in a menu
        ("<div class='overflow-hidden'>", 0.9, Rule.NONE),
        ("<div class='hidden-xs row'>", 0.9, Rule.NONE),
        ("<div class='overflow-hidden hidden'>", 0.9, Rule.COPY),
        ("<div class='post'>", 0.9, Rule.NONE),  # a quotation
    ],
)
def test_a_hidden_copy_is_dropped(box: str, shown: float, rule: Rule) -> None:
    html = f"""<h1>{TITLE}</h1><p>Other. {PROSE * 3}</p>{box}<p>Twice. {PROSE}</p></div>
        <section><p>Twice. {PROSE}</p></section>"""
    page = measures_of(html)
    marginals = np.array([[0.0, 0.9, 0.1]] * 3 + [[0.0, shown, 1.0 - shown]])
    tags = decide(Evidence(page), marginals, CutParams(convention="auto"))
    rules = np.zeros(4, np.int8) if tags.rules is None else tags.rules
    assert rules[2] == rule
    assert tags.kept[2] == (rule != Rule.COPY)


@pytest.mark.parametrize(
    ("notice", "types", "words", "rule"),
    [
        ("<p>{}</p>", {"article": 1.0}, 9, Rule.SITE),
        ("<p>{}</p>", {"article": 0.2}, 9, Rule.SITE),
        ("<h2>{}</h2>", {"article": 1.0}, 9, Rule.NONE),
        ("<p>Sure. {}</p>", {"article": 1.0}, 9, Rule.NONE),
        ("<p>{0} {0}</p>", {"article": 1.0}, 1, Rule.NONE),  # it is most of the page
    ],
)
def test_texts_of_a_site_are_unlikely(
    notice: str, types: dict[str, float], words: int, rule: Rule
) -> None:
    notice = notice.format(SAID)
    html = f"<h1>{TITLE}</h1>{notice}<p>{PROSE * words}</p>"
    texts = text_keys(measures_of(notice))
    page = split(Page(html, repeated=frozenset(texts)))
    marginals = marginals_of(page, {"Sure": 0.96, "I think": 0.7, "": 0.9})
    tags = decide(knowing(page, types=types), marginals, CutParams(convention="auto"))
    rules = np.zeros(3, np.int8) if tags.rules is None else tags.rules
    assert rules[1] == rule
    change = 1.0 - 0.95 * types["article"] if rule else 1.0
    assert tags.probabilities[1] == pytest.approx((1 - marginals[1, 2]) * change)


def test_lines_that_panels_share_are_no_copies() -> None:
    panel = "<p>Paid in advance, for a month.</p><p>{} costs {} crowns a month. {}</p>"
    html = f"""<h1>{TITLE}</h1><div class="tab">{panel.format("Rain", 5, PROSE)}</div>
        <div class="tab hidden">{panel.format("Snow", 9, PROSE)}</div>"""
    made = decided(html, 0.9, convention="auto")
    assert made.text.count("Paid in advance") == 2


BETWEEN = f"""<h1>{TITLE}</h1><p>First. {PROSE * 3}</p>{{}}<p>Last. {PROSE * 3}</p>"""
CODE, TEASERS = "<pre>zinc = 3</pre>", "<p>zinc = 3</p>"


@pytest.mark.parametrize(
    ("between", "likely", "known", "kept"),
    [
        (CODE, 0.2, {"forum": 0.1}, True),
        (CODE, 0.05, {"forum": 0.1}, False),
        (CODE, 0.2, {"forum": 0.9}, False),  # buttons between posts
        (TEASERS, 0.2, {"forum": 0.1}, False),
        (CODE + "<p>qq</p>" * 8, 0.2, {"forum": 0.1}, False),
        ("<ul><li><a href=x>zinc = 3</a></ul>", 0.2, {"forum": 0.1}, True),
        ("<ul><li>maybe<li>zinc = 3</ul>", 0.2, {"forum": 0.1}, True),
        ("<button aria-expanded=false>zinc?</button>", 0.4, {"forum": 0.1}, True),
        ("<details><summary>zinc?</summary>", 0.4, {"forum": 0.1}, True),
        ("<button aria-expanded=false>zinc</button>", 0.2, {"forum": 0.1}, False),  # "Filter"
        ("<button>zinc</button>", 0.4, {"forum": 0.1}, False),  # it opens nothing
        ("<h4>zinc</h4><ul><li>Rain<li>Snow</ul>", 0.4, {"forum": 0.1}, True),
        ("<h4>zinc</h4><ul><li>Rain<li>qq</ul>", 0.4, {"forum": 0.1}, False),
    ],
)
def test_items_code_and_headings_between_sure_blocks(
    between: str, likely: float, known: dict[str, float], *, kept: bool
) -> None:
    types = {"article": 0.5, **known}
    chances = {"": 0.95, "zinc": likely, "qq": 0.01, "maybe": 0.55}
    made = decided(BETWEEN.format(between), chances, {"types": types}, convention="auto")
    assert is_kept(made, "zinc") == kept


def remarks(posts: int) -> str:
    """A question with answers, and a remark on each of these posts."""
    return "".join(f"<p>{PROSE * 3}</p><p class=comment>So true. {SAID}</p>" for _ in range(posts))


@pytest.mark.parametrize(
    ("html", "params", "kept"),
    [
        (remarks(3), {}, False),
        (remarks(2), {}, False),
        (remarks(1), {}, True),
        (
            f"<p>{PROSE * 3}</p>" + f"<div class=comment><p>Yes. {SAID}</p><p>Bo</p></div>" * 5,
            {},
            True,
        ),
        (remarks(1) + f"<p>Bo</p><p class=comment>So true. {SAID}</p>" * 5, {}, True),
        (remarks(3), {"also": ("comment",)}, True),
    ],
)
def test_remarks_on_the_posts_of_a_thread(html: str, params: dict[str, Any], *, kept: bool) -> None:
    made = decided(f"<h1>Ice?</h1>{html}", 0.9, {**FORUM, "thread": 0.9}, **params)
    assert is_kept(made, SAID[:20]) == kept
    assert is_kept(made, PROSE[:20])


COMMENTS: dict[str, tuple[dict[str, Any], tuple[bool, bool]]] = {
    "all kinds": ({}, (False, True)),
    "comments": ({"keep": ("body", "comments")}, (True, True)),
    "by kind": ({"keep": ("paragraph", "comment")}, (True, True)),
    "of threads": ({"keep": ("body", "threads")}, (False, True)),
    "posts": ({"keep": ("paragraph", "post")}, (False, True)),
    "not listed": ({"keep": ("body", "title")}, (False, False)),
    "not listed by kind": ({"keep": ("paragraph",)}, (False, False)),
    "also": ({"convention": "article", "also": ("comment",)}, (True, True)),
    "also posts": ({"convention": "article", "also": ("post",)}, (False, True)),
    "without": ({"without": ("comment",)}, (False, False)),
    "article": ({"convention": "article"}, (False, False)),
    "everything": ({"convention": "everything"}, (True, True)),
}
"""Parameters, and whether comments are kept on an article and on a thread."""


@pytest.mark.parametrize(("params", "kept"), COMMENTS.values(), ids=COMMENTS)
def test_whose_comments_are_kept(params: dict[str, Any], kept: tuple[bool, bool]) -> None:
    made = [decided(PAGE, LIKELY, {**ARTICLE, "thread": value}, **params) for value in (0.1, 0.95)]
    assert tuple(is_kept(one, "So true.") for one in made) == kept


HEADED = {
    "reviews": "<section id=reviews><h2>Reviews</h2>{}</section>",
    "critics": "<section id=comments-of-critics><h2>Comments of critics</h2>{}</section>",
    "underscores": "<div id=Comments_of_critics><h3>Comments of Critics</h3>{}</div>",
    "no element": "<h2>Comments</h2>{}",
}


@pytest.mark.parametrize("html", HEADED.values(), ids=HEADED)
def test_a_section_of_an_article_is_text_whatever_its_heading(html: str) -> None:
    section = html.format(f"<p>{SAID * 2}</p>")
    page = f"<title>{TITLE}</title><h1>{TITLE}</h1><p>{PROSE * 4}</p>{section}<p>{PROSE * 2}</p>"
    made = decided(page, 0.9, {**ARTICLE, "thread": 0.01}, convention="article")
    assert made.text.count(SAID.strip()) == 2


def test_a_choice_among_the_rest_is_made_without_comments() -> None:
    """With 114 sure words of comments the second block would not be worth its words."""
    comments = f"<div class=comments><p>{SAID * 6}</p></div>"
    html = f"<p>{PROSE * 3}</p><p>Doubtful. {PROSE * 3}</p>{comments}"
    known = {"": 0.95, "Doubtful": 0.44}
    kept = {
        thread: is_kept(decided(html, known, {**ARTICLE, "thread": thread}), "Doubtful")
        for thread in (0.001, 1.0)
    }
    assert kept == {0.001: True, 1.0: False}


def test_a_page_of_comments_alone_keeps_them() -> None:
    html = f"<h1>{TITLE}</h1><div class=comments><p>{SAID * 5}</p><p>{SAID * 4}</p></div>"
    for params in ({}, {"convention": "article"}, {"rule": "threshold"}):
        made = decided(html, 0.9, {**ARTICLE, "thread": 0.01}, **params)
        assert made.text.count(SAID.strip()) == 9


# what the user asks for by name is final


@pytest.mark.parametrize("rule", ["expected_f1", "precision"])
@pytest.mark.parametrize("word", KIND_WORDS)
def test_a_kind_without_which_a_text_is_to_be_has_none_of_it(word: str, rule: str) -> None:
    """The rule "precision" once filled its allowance with blocks that were barred."""
    params = {"rule": rule, "precision": 0.5, "threshold": 0.0, "without": (word,)}
    made = decided(PAGE, 0.97, {**ARTICLE, "thread": 1.0}, **params)
    fine = np.asarray(kinds_of(made.page))
    named = "COMMENT" if word == "post" else word.upper()
    barred = fine == Kind[named]
    assert not made.tags.kept[barred].any()
    assert (made.tags.probabilities[barred] == 0).all()
    assert made.tags.kept[~barred].any()


def test_what_is_asked_for_is_likelier() -> None:
    plain = decided(PAGE, {**LIKELY, CAPTION: 0.4}, ARTICLE)
    also = decided(PAGE, {**LIKELY, CAPTION: 0.4}, ARTICLE, also=("caption", "byline"))
    odds = 0.4 / 0.6 * np.exp(ALSO_ODDS)
    assert plain.probability(CAPTION) == pytest.approx(0.4)
    assert also.probability(CAPTION) == pytest.approx(max(0.5, odds / (1 + odds)))
    assert also.rule(CAPTION) == Rule.ALSO


def test_captions_that_are_asked_for_are_kept_among_the_text_alone() -> None:
    inside = decided(PAGE, {**LIKELY, CAPTION: 0.02}, ARTICLE, also=("caption",))
    assert is_kept(inside, CAPTION)
    figure = f"<figure><figcaption>{CAPTION}</figcaption></figure>"
    html = f"<p>{PROSE * 3}</p><p>{PROSE * 3}</p>{figure}"
    after = decided(html, {"": 0.9, CAPTION: 0.02}, ARTICLE, also=("caption",))
    assert not is_kept(after, CAPTION)
    html = f"{figure}<h1>{TITLE}</h1>{figure.replace('Monday', 'Friday')}<p>{PROSE * 3}</p>"
    kinds = {"also": ("caption",), "without": ("title",)}
    above = decided(html, {"": 0.9, "The harbour": 0.02}, ARTICLE, **kinds)
    assert [line[:21] for line in above.text.splitlines()] == ["The harbour on Friday", PROSE[:21]]


# the main heading


def headed(before: int, heading: str = TITLE, after: int = 4) -> str:
    """A page with paragraphs before and after its main heading."""
    return (
        f"<title>{TITLE} - Lake News</title>{f'<p>Before. {PROSE * 2}</p>' * before}"
        f"<h1>{heading}</h1>{f'<p>After. {PROSE * 2}</p>' * after}"
    )


FORCED: dict[str, tuple[str, float, dict[str, Any], bool]] = {
    "an article's": (headed(0), 0.02, {"convention": "article"}, True),
    "by default": (headed(0), 0.02, {"convention": "auto"}, True),
    "asked for": (headed(0), 0.02, {"keep": ("title", "paragraph")}, True),
    "after little": (headed(1), 0.02, {"convention": "article"}, True),
    "after most of the text": (headed(5), 0.02, {"convention": "article"}, False),
    "after it, asked for": (headed(5), 0.02, {"keep": ("title", "paragraph")}, True),
    "unlike the title": (headed(0, "Welcome"), 0.02, {"convention": "article"}, False),
    "unlike it, likely": (headed(0, "Welcome"), 0.3, {"convention": "article"}, True),
    "unlike it, asked for": (headed(0, "Welcome"), 0.02, {"keep": ("title", "paragraph")}, True),
    "the model's own": (headed(0), 0.02, {}, False),
    "the text alone": (headed(0), 0.02, {"convention": "body"}, False),
    "barred": (headed(0), 0.95, {"convention": "article", "without": ("title",)}, False),
}
"""Page, probability of the heading, parameters, and whether it is kept."""


@pytest.mark.parametrize(("html", "likely", "params", "kept"), FORCED.values(), ids=FORCED)
def test_when_the_main_heading_is_kept(
    *, html: str, likely: float, params: dict[str, Any], kept: bool
) -> None:
    heading = "Welcome" if "Welcome" in html else TITLE
    made = decided(html, {"": 0.95, heading: likely}, ARTICLE, **params)
    assert is_kept(made, heading) == kept
    if kept:
        assert made.tags.labels[made.place(heading)] == Label.HEADER
        assert made.rule(heading) == Rule.TITLE
        assert made.probability(heading) == made.tags.probabilities.max()


@pytest.mark.parametrize("rule", RULES)
def test_a_heading_alone_is_no_text(rule: str) -> None:
    likely = 0.0 if rule == "expected_f1" else 0.1
    made = decided(headed(0), likely, ARTICLE, convention="article", rule=rule)
    assert not made.tags.kept.any()
    assert made.tags.score == 0


# the score

PLAIN = dict.fromkeys((*SCORE_INPUTS, BIAS), 0.0) | {"expected": 1.0}


@pytest.fixture
def plain_score(monkeypatch: pytest.MonkeyPatch) -> None:
    """The score is the expected F1 of the blocks."""
    monkeypatch.setattr(verdict, "decision_weights", lambda: {"score": PLAIN})


@pytest.mark.usefixtures("plain_score")
def test_the_score_is_predicted_from_what_rules_left() -> None:
    made = decided(PAGE, LIKELY, {**ARTICLE, "thread": 0.1}, convention="article")
    assert made.tags.rules is not None
    own = expected_f1(made.tags.probabilities, made.page.words, made.tags.kept)
    assert made.tags.score == pytest.approx(own, abs=0.001)


def test_inputs_of_the_score() -> None:
    said = f"<p>{PROSE}</p><div class=comments><p>{SAID}</p></div>"
    page = measures_of(f"{said}<p>{PROSE}</p><p><a href=/>one two</a></p>")
    kept, after = np.array([True, False, True, True]), np.array([0.9, 0.0, 0.9, 0.9])
    evidence = knowing(page, **ARTICLE)
    inputs = dict(
        zip(
            SCORE_INPUTS,
            score_inputs(evidence.page.table, evidence.comments, after, kept),
            strict=True,
        )
    )
    words, total = page.words, page.words[kept].sum()
    share = total / words.sum()
    assert inputs == pytest.approx(
        {
            "expected": log(1.8 / 1.9 / (1 - 1.8 / 1.9)),
            "share": log(share / (1 - share)),
            "comments_left": words[1] / total,
            "gaps": log(2),
            "few": log((total + 10) / 150),
            "links": 0,
        },
        rel=0.05,
    )


@pytest.mark.parametrize(
    ("likelier", "unlikelier"),
    [
        (f"<p>{PROSE * 3}</p>", f"<p><a href=/>{PROSE * 3}</a></p>"),
        (f"<p>{PROSE * 3}</p>", f"<p>{PROSE}</p>"),
    ],
    ids=["links", "few words"],
)
def test_pages_of_links_and_of_few_words_score_lower(likelier: str, unlikelier: str) -> None:
    scores = [decided(html, 0.97, ARTICLE).tags.score for html in (likelier, unlikelier)]
    assert scores[0] > scores[1] + 0.005


def test_a_page_without_its_content_has_no_score() -> None:
    document = decided(PAGE, LIKELY, ARTICLE).document
    assert document.score > 0
    for where, score in (("visible", document.score), ("not-in-this-html", 0.0)):
        assert replace(document, presence=Presence(where, "consent", 0.9)).score == score


def test_other_labels_have_another_score() -> None:
    made = decided(PAGE, LIKELY, ARTICLE)
    none = np.full(len(made.page), Label.OTHER)
    assert relabelled(made.tags, made.page, none).score == 0
    same = relabelled(made.tags, made.page, made.tags.labels)
    assert same.score == pytest.approx(made.tags.score)
    fewer = np.where(np.arange(len(made.page)) > 4, Label.OTHER, made.tags.labels)
    assert relabelled(made.tags, made.page, fewer).score < made.tags.score


# leads


LEAD = "The island of Orr has waited nine days for flour, and the baker has closed her shop."
LEADS = {
    "class": f"<h1>{TITLE}</h1><p class=standfirst>{LEAD}</p>",
    "heading": f"<h1>{TITLE}</h1><h2 class=article-dek>{LEAD}</h2>",
    "description": f"<meta name=description content='{LEAD}'><h1>{TITLE}</h1><div>{LEAD}</div>",
    "place": f"<meta name=description content='{LEAD}'><h1>{TITLE}</h1><p>Orr. {LEAD}</p>",
}


@pytest.mark.parametrize("head", LEADS.values(), ids=LEADS)
@pytest.mark.parametrize("convention", ["auto", "article", "body"])
def test_a_doubtful_lead_of_an_article_is_kept(head: str, convention: str) -> None:
    html = f"{head}<p>First. {PROSE * 3}</p><p>Last. {PROSE * 4}</p>"
    made = decided(html, {"": 0.9, LEAD: 0.3}, ARTICLE, convention=convention)
    assert is_kept(made, LEAD)
    assert made.rule(LEAD) == Rule.LEAD
    assert made.probability(LEAD) >= 0.5


@pytest.mark.parametrize(
    ("after", "likely", "article", "cut"),
    [
        ("", 0.05, 1.0, {}),  # such as a line of tags
        ("", 0.3, 0.2, {}),  # no article
        (f"<aside><p>{LEAD}</p></aside>", 0.3, 1.0, {}),  # printed again
        ("", 0.3, 1.0, {"convention": "thread"}),
        ("", 0.3, 1.0, {"without": ("lead",)}),
        ("", 0.3, 1.0, {"convention": "", "keep": ("title", "paragraph")}),
    ],
)
def test_a_lead_that_is_left_out(
    after: str, likely: float, article: float, cut: dict[str, Any]
) -> None:
    html = f"{LEADS['class']}<p>First. {PROSE * 3}</p><p>Last. {PROSE * 4}</p>{after}"
    known = {"types": {"article": article, "forum": 0.0}}
    made = decided(html, {"": 0.9, LEAD: likely}, known, **{"convention": "auto"} | cut)
    assert not is_kept(made, LEAD)


def test_a_lead_lets_no_other_block_in() -> None:
    """Raised before the choice, a lead let a thousand words of code in."""
    html = f"{LEADS['class']}<p>{PROSE}</p><p>Doubt. {PROSE * 3}</p>"
    for doubt in np.arange(0.3, 0.5, 0.005):
        low, high = (
            decided(html, {"": 0.7, LEAD: lead, "Doubt": doubt}, ARTICLE, convention="auto")
            for lead in (0.05, 0.25)
        )
        assert not is_kept(low, LEAD)
        assert is_kept(high, LEAD)
        assert is_kept(low, "Doubt") == is_kept(high, "Doubt"), doubt


# what rules say of themselves


def test_a_rule_is_the_first_reason() -> None:
    made = decided(PAGE, LIKELY, {**ARTICLE, "thread": 0.1}, convention="auto", also=("byline",))
    own = [[Reason("words", 3.0, 0.5)] for _ in made.page.texts]
    reasons = with_rules(made.tags, own)
    named = {
        TITLE: (Rule.TITLE, 1),
        CAPTION: (Rule.ASIDE, -1),
        "So true.": (Rule.COMMENT, -1),
        "By Ada": (Rule.ALSO, 1),
    }
    for text, (rule, sign) in named.items():
        first, *others = reasons[made.place(text)]
        assert first.feature == RULE_PREFIX + rule.name.lower()
        assert first.value == pytest.approx(made.probability(text))
        assert first.weight * sign > 0
        assert others == own[0]
    assert reasons[made.place("First.")] == own[0]


def test_words_that_rules_took_and_added() -> None:
    known = {**ARTICLE, "thread": 0.1}
    made = decided(PAGE, {**LIKELY, TITLE: 0.2}, known, convention="auto")
    changed = ruled_words(made.document)
    words, texts = made.page.words, made.page.texts
    comments = sum(int(words[at]) for at, text in enumerate(texts) if SAID[:20] in text)
    assert changed["title"] == (0, int(words[made.place(TITLE)]))
    assert changed["comment"] == (comments + int(words[made.place("2 comments")]), 0)
    assert changed["aside"][0] >= int(words[made.place(CAPTION)])
    row = to_dict(made.document, Show(blocks=True))
    assert row["rules"] == [
        {"rule": rule, "left_out": left_out, "added": added}
        for rule, (left_out, added) in changed.items()
    ]
    assert row["thread"] == 0.1


# every page, every choice


@pytest.mark.parametrize("rule", RULES)
def test_an_empty_page(rule: str) -> None:
    made = decided("", 0.9, rule=rule)
    assert made.tags.labels.shape == (0,)
    assert made.tags.marginals.shape == (0, 3)
    assert (made.tags.score, made.tags.refusal) == (0.0, "")
    assert made.text == ""


def test_nothing_at_the_precision_is_told() -> None:
    low, high = (
        decided(f"<p>{PROSE}</p>", likely, ARTICLE, rule="precision") for likely in (0.9, 0.99)
    )
    assert (low.tags.refusal, high.tags.refusal) == ("below-precision", "")
    assert decided(f"<p>{PROSE}</p>", 0.1, ARTICLE, rule="threshold").tags.refusal == ""
