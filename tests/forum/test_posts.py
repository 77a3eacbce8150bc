"""Tests of `forum/`: from elements and records to posts; the template: test_forum_template.py."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import os
import pickle
import random
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crfclean.forum import bodies
from crfclean.forum import fields as fields_module
from crfclean.forum import fields as group_evidence
from crfclean.forum import posts as forum_posts
from crfclean.forum.bodies import BODY_FEATURES, body_groups, feature_rows
from crfclean.forum.choose import choose, corrected_by_template, with_opener
from crfclean.forum.clues import kinds_of, looks_like_date, words_of
from crfclean.forum.dates import DateReader, When, core_of
from crfclean.forum.fields import (
    ATTRIBUTE_GROUPS,
    COMM,
    DATES,
    EVIDENCE,
    NICK,
    NORM,
    evidence,
    fields,
)
from crfclean.forum.gold import (
    UNKNOWN,
    GoldPost,
    field_labels,
    fit_of,
    folded_words,
    is_paired,
    letters,
    matches,
    node_text,
    read_posts,
)
from crfclean.forum.learn import ForumExample, fit_ranking, forum_example, learn
from crfclean.forum.model import ForumModel, forum_fingerprints, load_forum_model, save_forum_model
from crfclean.forum.outline import element_name, outline
from crfclean.forum.pick import pick
from crfclean.forum.posts import ForumOptions, read_site, threads
from crfclean.forum.records import INSIDE, records, topic, trimmed
from crfclean.forum.tagger import AutoTagger, ForumTagger, tagger_of
from crfclean.forum.thread import (
    CSV_COLUMNS,
    THREAD_WRITERS,
    Post,
    Thread,
    thread_to_csv,
    thread_to_dict,
    thread_to_jsonl,
    thread_to_text,
)
from crfclean.io import with_digest
from crfclean.modelfiles.plain import WEIGHTS
from crfclean.page.blocks import split
from crfclean.taggers.load import load as load_tagger
from crfclean.train.params import ForumParams
from crfclean.types import CrfcleanError, GoldError, Label, ModelError, NoGoldError, Page
from eval.forums.steps import address_lines, confusion_text, field_confusion, macro_f1

SITES = (
    "ask-the-bookbinder bastubadarna chess-cafe cordages-et-voiles eski-radyo faros-y-sextantes "
    "fietsenschuur hegyi-kapu imkerstube-am-hang jornal-da-serra kernel-und-kuchen "
    "kuechengespraeche lighthouse-keepers-list lodenica-listy orto-e-terrazzo "
    "podhorsky-denik-diskuse radiolyubitel szlak-i-namiot taller-motos yamamichi-nikki "
    "zahradka-forum"
).split()


def post(number: int, words: str = "", author: str = "ann", date: str = "5 May 2020") -> str:
    """A post of a simple forum."""
    return (
        f'<div class="post" id="p{number}"><p class="author"><a href="/u/{author}">{author}</a></p>'
        f'<p class="date">{date}, 10:0{number % 10}</p><div class="body">{words or number}</div>'
        f'<a class="reply" href="#p{number}">Reply</a></div>'
    )


def page_of(*parts: str, title: str = "Tea or coffee") -> Page:
    return Page(
        f"<html lang=en><title>{title}</title><body><h1>{title}</h1>{''.join(parts)}</body>"
    )


WORDS = (
    "I have had nothing but tea since Monday.",
    "Coffee in the morning, tea in the afternoon, and nothing after six.",
    "Water, thank you.",
)
SIMPLE = page_of(*(post(place, text) for place, text in enumerate(WORDS, 1)))


# elements and their names


@pytest.mark.parametrize(
    ("tag", "attributes", "wanted"),
    [
        ("p", {}, "p"),
        ("div", {"class": "b a"}, "div.a.b"),
        ("li", {"class": "row2 row3"}, "li.row#"),
        ("td", {"id": "td_post_17"}, "td#td_post_#"),
        ("td", {"id": "menu"}, "td"),
    ],
)
def test_names(tag: str, attributes: dict[str, str], wanted: str) -> None:
    assert element_name(tag, attributes) == wanted


def test_groups_and_text() -> None:
    page = outline(split(SIMPLE))
    bodies = page.groups["div.body"]
    assert [page.text(node) for node in bodies] == list(WORDS)
    assert len(page.groups["div.post#p#"]) == 3


def test_groups_by_the_element_around() -> None:
    page = outline(
        split(Page("<div class=a><p class=x>1</p></div><div class=b><p class=x>2</p></div>"))
    )
    assert len(page.groups["p.x"]) == 2
    assert len(page.groups["div.a/p.x"]) == 1


def test_inner_elements_of_a_name_are_left_out() -> None:
    page = outline(split(Page("<div class=q>a<div class=q>b</div></div>")))
    assert len(page.groups["div.q"]) == 1


@pytest.mark.parametrize(
    ("html", "quoted"),
    [
        ("<blockquote>a</blockquote>", True),
        ('<div class="bbCodeBlock-quote">a</div>', True),
        ('<a class="quote">Quote</a>', False),
        ('<div class="quote-button">Quote</div>', False),
        ("<p>a</p>", False),
    ],
)
def test_quotes(html: str, *, quoted: bool) -> None:
    assert outline(split(Page(html))).quoted.tolist() == [quoted]


def test_lines_are_blocks() -> None:
    page = outline(split(Page("<div><p>a <b>b</b></p><p>c</p></div>")))
    assert page.lines(0, 3) == ["a b", "c"]


# words and dates


@pytest.mark.parametrize(
    "text",
    "5 May 2020|12.03.2021|2 hours ago|gestern|vor 3 Tagen|3/13/2014|12 kvě 2021|14 września 2020|"
    "12 Февраль 2017|11:43pm|2020-01-02|il y a 3 jours|včera|Posted February 2".split("|"),
)
def test_dates_are_seen(text: str) -> None:
    assert looks_like_date(text)


@pytest.mark.parametrize("text", ["Reply", "Posts: 123", "ann", "marching on", "x" * 100, ""])
def test_other_texts_are_no_dates(text: str) -> None:
    assert not looks_like_date(text)


def test_words_of_classes() -> None:
    assert "author" in kinds_of(words_of("post-author"))
    assert "body" in kinds_of(words_of("messageContent"))
    assert kinds_of(words_of("zzz")) == frozenset()


@pytest.mark.parametrize(
    ("text", "language", "wanted"),
    [
        ("12 kvě 2021, 07:14", "cs", When("2021-05-12T07:14:00", "exact")),
        ("4. Januar 2022", "de", When("2022-01-04", "day")),
        ("14 września 2020", "pl", When("2020-09-14", "day")),
        ("13.05.2024", "de", When("2024-05-13", "day")),
        ("13.05.24, 10:02", "de", When("2024-05-13T10:02:00", "exact")),
        ("12 Февраль 2017, 19:40:11", "ru", When("2017-02-12T19:40:11", "exact")),
        ("February 2", "en", When("--02-02", "no-year")),
        ("3 days ago", "en", When("", "relative")),
        ("Reply", "en", When("", "unknown")),
        ("x" * 500, "en", When("", "unknown")),
        ("99.99.2020", "de", When("", "unknown")),
    ],
)
def test_dates_are_read(text: str, language: str, wanted: When) -> None:
    assert DateReader(language).read(text) == wanted


def test_relative_dates_are_counted_from_the_fetching() -> None:
    reader = DateReader("en", fetched=datetime(2020, 6, 3, 12))  # noqa: DTZ001
    assert reader.read("2 days ago") == When("2020-06-01", "relative")
    assert reader.read("April 24").iso == "2020-04-24"


@pytest.mark.parametrize(
    ("machine", "wanted"),
    [
        ("2020-02-02T17:03:19Z", When("2020-02-02T17:03:19Z", "exact")),
        ("2020-02-02", When("2020-02-02", "day")),
        ("1580662999", When("2020-02-02T17:03:19+00:00", "exact")),
        ("2020-99-99", When("2020-05-05", "day")),
        ("junk", When("2020-05-05", "day")),
    ],
)
def test_what_programs_are_told_comes_first(machine: str, wanted: When) -> None:
    assert DateReader("en").read("5 May 2020", machine) == wanted


def test_edited_is_no_part_of_a_date() -> None:
    assert core_of("April 9 edited April 10") == "April 9"


# records and fields


def test_every_post_has_its_record() -> None:
    page = outline(split(SIMPLE))
    found = records(page, np.array(page.groups["div.body"]))
    texts = page.page.runs.texts
    heads = [texts[start] for start in found.start.tolist()]
    assert heads == ["ann"] * 3
    assert [int((found.record == place).sum()) for place in range(3)] == [4, 4, 4]
    assert (found.side == INSIDE).sum() == 3


def test_heads_and_bodies_that_are_siblings() -> None:
    rows = "".join(
        f'<tr><td class="head">ann, {day} May 2020</td></tr><tr><td class="body">w{day}</td></tr>'
        for day in range(1, 5)
    )
    page = outline(split(Page(f"<table>{rows}</table>")))
    found = records(page, np.array(page.groups["td.body"]))
    owners = found.record.tolist()
    assert owners == [0, 0, 1, 1, 2, 2, 3, 3]


def test_no_records() -> None:
    page = outline(split(SIMPLE))
    found = fields(records(page, np.zeros(0, np.int64)))
    assert len(found) == 0


def test_groups_of_attributes_can_be_left_out() -> None:
    page = outline(split(SIMPLE))
    found = records(page, np.array(page.groups["div.body"]))
    whole = sum(map(len, fields(found).attributes))
    for group in ATTRIBUTE_GROUPS:
        less = fields(found, frozenset([group])).attributes
        assert sum(map(len, less)) < whole, group
    assert not any(fields(found, frozenset(ATTRIBUTE_GROUPS)).attributes)


def test_addresses_tell_sides() -> None:
    page = outline(split(SIMPLE))
    found = fields(records(page, np.array(page.groups["div.body"])))
    assert found.addresses[0].startswith("0 p.author")
    assert len({found.addresses[field] for field in range(len(found))}) == 4


# pairing with annotations

GOLD = [GoldPost(text, "ann", f"5 May 2020, 10:0{at}") for at, text in enumerate(WORDS, 1)]


def test_fields_are_paired_with_annotations() -> None:
    page = outline(split(SIMPLE))
    found = fields(records(page, np.array(page.groups["div.body"])))
    assert field_labels(found, GOLD).tolist() == [NICK, DATES, COMM, NORM] * 3
    assert set(field_labels(found, [GoldPost("other")]).tolist()) == {UNKNOWN}


def test_matches_are_one_to_one() -> None:
    assert matches(["a b c", "a b c"], ["a b c"]) == {0: 0}
    assert matches(["hello there you"], ["hello there yoo"]) == {0: 0}
    assert matches(["hello"], ["world"]) == {}


def test_fit() -> None:
    assert fit_of(list(WORDS), GOLD) == 1.0
    assert fit_of([*WORDS, "more"], GOLD) == pytest.approx(6 / 7)
    assert fit_of([""], GOLD) == 0.0


def test_pairing_takes_letters_away_alone() -> None:
    assert is_paired("by ann", "ann", 0.5)
    assert not is_paired("an", "ann", 0.9)
    assert not is_paired("joined ann yesterday", "ann")
    assert folded_words("A, b!") == "a b"
    assert letters("5. V.") == "5v"


# learning and choosing


def test_candidates_have_all_features() -> None:
    found = body_groups(outline(split(SIMPLE)))
    assert feature_rows(found).shape == (len(found), len(BODY_FEATURES))
    assert np.isfinite(feature_rows(found)).all()
    assert feature_rows([]).shape == (0, len(BODY_FEATURES))


def test_ranking_learns_which_row_is_best() -> None:
    values = [np.array([[0.0, at], [1.0, 5 - at]]) for at in range(6)]
    fits = [np.array([0.1, 0.9])] * 6
    ranking = fit_ranking(values, fits, 0.001)
    assert all(ranking.scores(page).argmax() == 1 for page in values)


def test_learning_needs_posts() -> None:
    assert forum_example("s", outline(split(SIMPLE)), [GoldPost("nowhere on the page")]) is None
    with pytest.raises(CrfcleanError, match="no page with posts"):
        learn([])


@pytest.mark.usefixtures("two_threads")
def test_learning_is_repeatable(forum_lessons: list[ForumExample], tmp_path: Path) -> None:
    params = ForumParams(threshold=1, iterations=5, inner=2)
    for name in ("one", "two"):
        save_forum_model(learn(forum_lessons[:6], params), tmp_path / name)
    assert (tmp_path / "one" / WEIGHTS).read_bytes() == (tmp_path / "two" / WEIGHTS).read_bytes()


def test_other_sites_posts_are_found(root: Path, forum_lessons: list[ForumExample]) -> None:
    """A model that has not seen the site."""
    model = learn([one for one in forum_lessons if one.site != "taller-motos"])
    gold = [one for one in read_posts(root / "data" / "forum") if one.site == "taller-motos"]
    found = forum_posts([one.page for one in gold], model)
    for page, thread in zip(gold, found, strict=True):
        assert fit_of([one.full for one in thread.posts], page.posts) > 0.8


@pytest.mark.parametrize("site", SITES)
def test_demo_posts(root: Path, forum_model: ForumModel, site: str) -> None:
    gold = [one for one in read_posts(root / "data" / "forum") if one.site == site]
    found = forum_posts([one.page for one in gold], forum_model)
    for page, thread in zip(gold, found, strict=True):
        assert [folded_words(one.full) for one in thread.posts] == [
            folded_words(one.text) for one in page.posts
        ]
        assert [one.author for one in thread.posts] == [one.author for one in page.posts]
        assert [letters(one.date) for one in thread.posts] == [letters(o.date) for o in page.posts]
        assert all(o.published.iso or o.published.certainty == "relative" for o in thread.posts)
        own = root / "data" / "forum" / page.id.replace(".html", ".posts.json")
        assert [folded_words(one.text) for one in thread.posts] == [
            folded_words(one["text"]) for one in json.loads(own.read_text("utf-8"))
        ]


def test_correction_gives_fields_of_one_address_one_meaning(forum_model: ForumModel) -> None:
    one = choose([outline(split(SIMPLE))], forum_model)[0]
    assert one is not None
    right = corrected_by_template([one])[0]
    by_address: dict[str, set[int]] = {}
    for field, label in enumerate(right.argmax(1).tolist()):
        by_address.setdefault(one.fields.addresses[field], set()).add(label)
    assert all(len(labels) == 1 for labels in by_address.values())
    assert right.sum(1) == pytest.approx(1.0)


def test_correction_keeps_the_counts(forum_model: ForumModel) -> None:
    found = read_site([SIMPLE, Page("<img>"), SIMPLE], forum_model)
    names = [name for name in found.counts if name.endswith("div.body")]
    assert [found.counts[name].tolist() for name in names] == [[0, 0, 6, 0]]
    fields_of_all = sum(len(one.fields) for one in found.chosen if one is not None)
    assert sum(int(one.sum()) for one in found.counts.values()) == fields_of_all


def test_addresses_are_told(forum_model: ForumModel) -> None:
    lines = list(address_lines(read_site([SIMPLE, SIMPLE], forum_model)))
    assert lines[0] == "NICK\tDATE\tCOMM\tNORM\tmajority\tcorrected\taddress\n"
    assert any(line.startswith("0\t6\t0\t0\tDATE\tDATE\t0 p.date") for line in lines)
    assert list(address_lines(read_site([], forum_model))) == lines[:1]


def test_evidence_is_bounded(forum_model: ForumModel) -> None:
    one = choose([outline(split(SIMPLE))], forum_model)[0]
    assert one is not None
    told = evidence(one.fields, one.probabilities)
    assert ((told >= 0) & (told <= 1)).all()


EVIDENCE_OF = {
    "nothing": (".... .... ....", (0, 0, 0, 0, 1, 0, 0)),
    "words": ("..C. ..C. ..C.", (0, 0, 1, 0, 0, 0, 0)),
    "words of two posts": ("..C. ..C. ....", (0, 0, 2 / 3, 0, 1 / 3, 0, 0)),
    "words outside, too": ("..CC ..CC ..CC", (0, 0, 1, 1.1 / 9.2, 0, 0, 0)),
    "words outside alone": ("...C ...C ...C", (0, 0, 0, 1, 1, 0, 0)),
    "authors": ("N... N... N...", (1, 0, 0, 0, 1, 0, 0)),
    "dates": (".D.. .D.. ....", (0, 2 / 3, 0, 0, 1, 0, 0)),
    "two authors": ("N..N N..N N..N", (1, 0, 0, 0, 1, 1 / 3, 0)),
    "two dates": ("DD.. .D.. .D..", (0, 1, 0, 0, 1, 0, 1 / 9)),
    "authors among the words": ("..N. ..N. ..N.", (0.5, 0, 0, 0, 1, 0, 0)),
    "dates among the words": ("..D. ..D. ..D.", (0, 0.5, 0, 0, 1, 0, 0)),
    "a second author among the words": ("N.N. N.N. N.N.", (1, 0, 0, 0, 1, 0, 0)),
    "all of them": ("NDC. NDC. NDC.", (1, 1, 1, 0, 0, 0, 0)),
}
"""Labels of the fields of three posts -> `nick date comm lost foreign nicks dates`."""


@pytest.mark.parametrize(("labels", "wanted"), EVIDENCE_OF.values(), ids=EVIDENCE_OF)
def test_evidence_of_labelled_fields(labels: str, wanted: tuple[float, ...]) -> None:
    words = "tea with milk and sugar for all"
    page = outline(split(page_of(*(post(place, f"{words} {place}") for place in (1, 2, 3)))))
    found = fields(records(page, np.array(page.groups["div.body"])))
    texts = [page.page.runs.texts[run] for run in found.runs.tolist()]
    assert texts[:4] == ["ann", "5 May 2020, 10:01", f"{words} 1", "Reply"]
    probabilities = np.eye(4)[["NDC.".index(label) for label in labels.replace(" ", "")]]
    assert evidence(found, probabilities) == pytest.approx(np.array(wanted))


def test_the_pages_of_a_site_vote(forum_model: ForumModel) -> None:
    single = page_of(post(1, WORDS[1]))
    alone = choose([outline(split(single))], forum_model)[0]
    both = choose([outline(split(single)), outline(split(SIMPLE))], forum_model)
    assert alone is not None
    assert both[0] is not None
    assert both[1] is not None
    assert both[0].name == both[1].name


def test_pick_takes_the_address_of_most_records(forum_model: ForumModel) -> None:
    one = choose([outline(split(SIMPLE))], forum_model)[0]
    assert one is not None
    runs = one.fields.runs[pick(one, corrected_by_template([one])[0], NICK)]
    assert [one.fields.records.page.page.runs.texts[run] for run in runs] == ["ann"] * 3


# posts


def simple_thread(model: ForumModel) -> Thread:
    return forum_posts([SIMPLE], model)[0]


def test_posts(forum_model: ForumModel) -> None:
    thread = simple_thread(forum_model)
    assert thread.topic == "Tea or coffee"
    assert thread.status == "ok"
    assert [one.text for one in thread.posts] == list(WORDS)
    assert [one.author for one in thread.posts] == ["ann"] * 3
    assert [one.post_id for one in thread.posts] == ["1", "2", "3"]
    assert [one.first for one in thread.posts] == [True, False, False]
    assert thread.posts[0].published == When("2020-05-05T10:01:00", "exact")


def test_quotes_stand_apart(forum_model: ForumModel) -> None:
    quoting = f"<blockquote>{WORDS[0]}</blockquote>I do not believe it, not for a moment."
    page = page_of(post(1, WORDS[0]), post(2, WORDS[1]), post(3, quoting))
    last = forum_posts([page], forum_model)[0].posts[2]
    assert last.quotes == (WORDS[0],)
    assert last.text == "I do not believe it, not for a moment."
    assert last.full == f"{WORDS[0]}\n{last.text}"


def test_advertisements_and_deleted_posts_are_none(forum_model: ForumModel) -> None:
    page = page_of(
        post(1, WORDS[0]),
        "<div class=ad>Buy cheap winter tyres now and save half of it</div>",
        post(2, WORDS[1]),
        "<div class=deleted>This post has been deleted.</div>",
        post(3, WORDS[2]),
    )
    assert [one.text for one in forum_posts([page], forum_model)[0].posts] == list(WORDS)


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        (["a", "_____", "sig"], ["a"]),
        (["a", "--", "sig"], ["a"]),
        (["_____", "a"], ["_____", "a"]),
        (["a", "--", *"123456789"], ["a", "--", *"123456789"]),
        (["a", "Reply"], ["a"]),
        ([], []),
    ],
)
def test_trimmed(lines: list[str], wanted: list[str]) -> None:
    assert trimmed(lines, frozenset(["reply"])) == wanted


@pytest.mark.parametrize(
    ("html", "wanted"),
    [
        ("<title>A thread - Forum</title><h1>A thread</h1><p>x</p>", "A thread"),
        ("<title>A thread - Forum</title><h1>Welcome!</h1><p>x</p>", "A thread"),
        ("<title>Ice - Lakes</title><h1>Lakes</h1><h2>Ice</h2><p>x</p>", "Ice"),
        ("<title>Ice - Cold - Lakes</title><h1>Ice</h1><h2>Cold</h2><p>x</p>", "Ice"),
        ("<title>Ice</title><h1>Ice</h1><h2>Ice on the lake</h2><p>x</p>", "Ice"),
        ("<title>> Ice now</title><h1>Ice now</h1><h2>About '> Ice now'</h2><p>x</p>", "Ice now"),
        ("<h1>Alone</h1><p>x</p>", "Alone"),
        ("<p>x</p>", ""),
    ],
)
def test_topic(html: str, wanted: str) -> None:
    assert topic(outline(split(Page(html))), np.zeros(0, np.int64)) == wanted


def test_links_are_absolute(forum_model: ForumModel) -> None:
    page = Page(SIMPLE.html, "https://example.org/t/1")
    first = forum_posts([page], forum_model)[0].posts[0]
    assert first.author_url == "https://example.org/u/ann"
    assert first.url == "https://example.org/t/1#p1"


def test_bad_pages_say_why(forum_model: ForumModel) -> None:
    bad = [Page("", status="empty"), Page("", status="binary"), Page("<img>")]
    found = forum_posts([*bad, SIMPLE], forum_model)
    assert [one.status for one in found] == ["empty", "binary", "no-posts", "ok"]
    assert len(found[3].posts) == 3
    assert forum_posts([], forum_model) == []


def test_junk_never_raises(forum_model: ForumModel) -> None:
    source = random.Random(3)
    pieces = [*"<>/&;='\" \n", "<div class=post>", "</div>", "<p>", "5 May 2020", "ann", "\udcff"]
    pieces += ["<table>", "<tr>", "<td>", "<blockquote>", "<a href='//[x'>", "<h1>", "id=p1"]
    for _ in range(60):
        html = "".join(source.choice(pieces) for _ in range(source.randrange(1, 300)))
        for thread in forum_posts([Page(html), Page(html[::-1])], forum_model):
            for writer in THREAD_WRITERS.values():
                writer(thread)


def test_a_text_without_author_and_date_is_no_post(forum_model: ForumModel) -> None:
    page = Page(f"<h1>Ice</h1><p>{WORDS[1]}</p><p>{WORDS[0]}</p>")
    assert forum_posts([page], forum_model)[0].status == "no-posts"


def test_where_no_post_has_an_author_or_a_date_there_are_none(
    forum_model: ForumModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fields may be likely each by itself, and none be picked, as among a site's menus."""
    module, count = sys.modules["crfclean.forum.posts"], 3
    for kept, status in ((NICK, "ok"), (DATES, "ok"), (None, "no-posts")):

        def picked(*group: Any, label: int | None = kept) -> list[int]:
            return pick(*group) if group[2] == label else [-1] * count

        monkeypatch.setattr(module, "pick", picked)
        thread = forum_posts([SIMPLE], forum_model)[0]
        assert (thread.status, len(thread.posts)) == (status, count * (status == "ok"))


def test_a_single_post(forum_model: ForumModel) -> None:
    found = forum_posts([page_of(post(1, WORDS[1]))], forum_model)[0].posts
    assert [(one.author, one.text) for one in found] == [("ann", WORDS[1])]


def test_many_posts_and_deep_pages(forum_model: ForumModel) -> None:
    """2,500 posts, and 3,000 levels: all is bounded."""
    many = page_of(*(post(number, f"word {number} of many") for number in range(2_500)))
    deep = Page("<div>" * 3_000 + "x" + "</div>" * 3_000)
    found = forum_posts([many, deep], forum_model)
    assert len(found[0].posts) == 2_500
    assert found[1].status in {"ok", "no-posts"}


# outputs


def test_json_has_the_fields_of_forum_thread(forum_model: ForumModel) -> None:
    told = thread_to_dict(simple_thread(forum_model))
    assert {"url", "topic", "posts"} <= told.keys()
    wanted = {"postId", "url", "author", "datePublished", "text"}
    assert all(wanted <= one.keys() for one in told["posts"])
    assert json.loads(thread_to_jsonl(simple_thread(forum_model))) == told


def test_text_and_csv(forum_model: ForumModel) -> None:
    thread = simple_thread(forum_model)
    assert thread_to_text(thread).startswith(
        "Tea or coffee\n\n[ann, 2020-05-05T10:01:00]\nI have had"
    )
    lines = thread_to_csv(thread).splitlines()
    assert lines[0].split(",") == CSV_COLUMNS
    assert CSV_COLUMNS[-4:] == ["text", "quotes", "replyTo", "replyToId"]
    assert len(lines) == 4
    assert thread_to_text(Thread("", "", ())) == ""


def test_a_post_without_author() -> None:
    one = Post("a", ("q",), "q\na", "", "", "", When("", "unknown"), "", "", 0, True, 0)
    thread = Thread("", "T", (one,))
    assert thread_to_dict(thread)["posts"][0]["author"] is None
    assert "> q\na" in thread_to_text(thread)


def test_posts_without_own_words_are_counted() -> None:
    """No words of theirs are lost: the CSV has what they quote."""
    one = Post("", ("q", "r s"), "q\nr s", "", "", "", When("", "unknown"), "", "", 0, True, 0)
    thread = Thread("", "T", (one, replace(one, text="a", quotes=())))
    assert thread.posts_without_words == 1
    assert thread_to_dict(thread)["postsWithoutWords"] == 1
    rows = list(csv.DictReader(io.StringIO(thread_to_csv(thread))))
    assert [(row["text"], row["quotes"]) for row in rows] == [("", "q\n\nr s"), ("a", "")]


# gold


def test_gold_of_the_demo(root: Path) -> None:
    """The XPaths select what the texts were written from."""
    pages = list(read_posts(root / "data" / "forum"))
    assert sorted({one.site for one in pages}) == SITES
    for page in pages:
        path = root / "data" / "forum" / page.id.replace(".html", ".posts.json")
        told = json.loads(path.read_text("utf-8"))
        assert [letters(one["author"]) for one in told] == [letters(o.author) for o in page.posts]
        assert [letters(one["date"]) for one in told] == [letters(o.date) for o in page.posts]
        for ours, theirs in zip(page.posts, told, strict=True):
            assert letters(ours.text).endswith(letters(theirs["text"]))


def test_demo_pages_are_those_of_their_script(root: Path, tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("write", root / "data" / "forum" / "write.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.write(tmp_path)
    for path in tmp_path.rglob("*.*"):
        assert path.read_bytes() == (root / "data/forum" / path.relative_to(tmp_path)).read_bytes()


def site_of(folder: Path, rules: str, html: str = SIMPLE.html) -> Path:
    (folder / "site").mkdir()
    (folder / "site" / "posts.xpath").write_text(rules, "utf-8")
    (folder / "site" / "1.html").write_text(html, "utf-8")
    return folder


PAPER = """# as in the paper
comments=//div[@class="post"]
text=//div[@class="body"]/allText()
author=//p[@class="author"]//allText()
date=//p[@class="date"]
"""


def test_the_papers_files_are_read(tmp_path: Path) -> None:
    page = next(iter(read_posts(site_of(tmp_path, PAPER))))
    assert page.site == "site"
    assert [one.text for one in page.posts] == list(WORDS)
    assert {one.author for one in page.posts} == {"ann"}


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("comments=//div\n", "needs comments= and text="),
        ("comments=//div\ntext=//[\n", ":2: no XPath"),
        ("rubbish\n", ":1: expected KEY=XPATH"),
        ("title=//h1\n", ":1: expected KEY=XPATH"),
    ],
)
def test_wrong_rules_are_told(tmp_path: Path, rules: str, message: str) -> None:
    with pytest.raises(GoldError, match=message):
        list(read_posts(site_of(tmp_path, rules)))


@pytest.mark.parametrize("html", ["", "\x00", "<", "plain"])
def test_gold_of_broken_pages(tmp_path: Path, html: str) -> None:
    pages = list(read_posts(site_of(tmp_path, PAPER, html)))
    assert pages[0].posts == ()


def test_gold_on_lines(tmp_path: Path) -> None:
    row = {"html": SIMPLE.html, "posts": [{"text": "a", "author": "b", "date": None}], "id": "x"}
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(row) + "\n\n", "utf-8")
    page = next(iter(read_posts(path)))
    assert page.posts == (GoldPost("a", "b", ""),)
    path.write_text('{"html": "x"}\n', "utf-8")
    with pytest.raises(GoldError, match=r"x\.jsonl:1: expected 'html' and 'posts'"):
        list(read_posts(path))


def test_no_gold(tmp_path: Path) -> None:
    with pytest.raises(NoGoldError, match="no annotated pages"):
        list(read_posts(tmp_path))
    with pytest.raises(GoldError, match="cannot be read"):
        list(read_posts(tmp_path / "none.jsonl"))


def test_text_of_attributes() -> None:
    assert node_text(" a  b ") == "a b"


# models


def test_models_are_checked(forum_folder: Path, forum_model: ForumModel, tmp_path: Path) -> None:
    assert load_forum_model(forum_folder).fields.keys() == forum_model.fields.keys()
    copy = tmp_path / "copy"
    shutil.copytree(forum_folder, copy)
    (copy / WEIGHTS).write_bytes((copy / WEIGHTS).read_bytes()[:-9])
    with pytest.raises(ModelError, match="the file was changed"):
        load_forum_model(copy)
    (copy / WEIGHTS).unlink()
    with pytest.raises(ModelError, match="cannot be read"):
        load_forum_model(copy)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("kind", "crf", "no model of forums"),
        ("format", 99, "another format"),
        ("features", [], "malformed"),
        ("features", {}, r"other features \(single, few, many, .* changed\): train it again"),
        ("features", dict(reversed(forum_fingerprints().items())), "their order changed"),
        ("labels", ["A"], r"labels \['A'\] are not ours"),
        ("files", [], "malformed"),
    ],
)
def test_manifests_are_checked(
    forum_folder: Path, tmp_path: Path, key: str, value: object, message: str
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(forum_folder, copy)
    manifest = json.loads((copy / "manifest.json").read_text("utf-8"))
    text = json.dumps(with_digest(manifest | {key: value}))
    (copy / "manifest.json").write_text(text, "utf-8")
    with pytest.raises(ModelError, match=message):
        load_forum_model(copy)


def test_a_changed_manifest_is_refused(forum_folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(forum_folder, copy)
    text = (copy / "manifest.json").read_text("utf-8")
    (copy / "manifest.json").write_text(text.replace('"NICK"', '"DATE"'), "utf-8")
    with pytest.raises(ModelError, match=r"manifest\.json: its digest .* the file was changed"):
        load_forum_model(copy)


FEATURES_CHANGED = {
    "all_dated, all_authored": (bodies, "_MOST", 0.1),
    "nick, date": (group_evidence, "INNER", 0.9),
    "field's text": (fields_module, "_MAX_GRAM_CHARS", 3),
    "field's elements": (fields_module, "profile_pattern", lambda: re.compile("skates")),
}
"""Features -> what changes these of a forum's model, and no others."""


@pytest.mark.parametrize("changed", FEATURES_CHANGED)
def test_changed_features_are_refused(
    monkeypatch: pytest.MonkeyPatch, forum_folder: Path, changed: str
) -> None:
    monkeypatch.setattr(*FEATURES_CHANGED[changed])
    forum_fingerprints.cache_clear()
    try:
        with pytest.raises(ModelError, match=rf"other features \({changed} changed\): train it"):
            load_forum_model(forum_folder)
    finally:
        forum_fingerprints.cache_clear()


def test_the_probe_tells_all_features_of_forums_apart() -> None:
    prints = forum_fingerprints()
    assert list(prints)[:50] == [*BODY_FEATURES, *EVIDENCE]
    assert len(set(prints.values())) == len(prints) == 53


def test_the_shipped_model(root: Path) -> None:
    """Demo pages were not learned from."""
    found = forum_posts([one.page for one in read_posts(root / "data" / "forum")][:2])
    assert [one.status for one in found] == ["ok", "ok"]


# steps


def test_confusion(forum_model: ForumModel) -> None:
    found = read_site([SIMPLE], forum_model)
    assert found.chosen[0] is not None
    before, after = field_confusion(found.chosen[0], found.corrected[0], GOLD)
    assert before.sum() == after.sum() == 12
    assert confusion_text(before).splitlines()[0] == "\tNICK\tDATE\tCOMM\tNORM"
    assert macro_f1(np.diag([3, 3, 3, 3])) == 1.0
    assert macro_f1(np.zeros((4, 4), np.int64)) == 0.0
    assert macro_f1(np.diag([3, 3, 3, 0])) == 1.0


def test_options_reach_the_dates(forum_model: ForumModel) -> None:
    found = read_site([SIMPLE], forum_model)
    day = threads(found, ForumOptions(language="de"))[0].posts[0].published
    assert day.iso == "2020-05-05T10:01:00"


# the tagger


def test_tagger(forum_folder: Path) -> None:
    tagger = ForumTagger(forum_folder)
    blocks = split(SIMPLE)
    tags = pickle.loads(pickle.dumps(tagger)).tag(blocks)
    kept = [blocks.texts[at] for at in np.flatnonzero(tags.kept)]
    assert kept == ["Tea or coffee", *WORDS]
    assert tags.labels[blocks.texts.index("Tea or coffee")] == Label.HEADER
    assert 0 < tags.score <= 1
    assert tags.marginals.sum(1) == pytest.approx(1.0)


def test_a_question_above_its_answers(forum_folder: Path) -> None:
    question = "Which of the two do you drink in the evening, and does it keep you awake at night?"
    posts = [post(place, text) for place, text in enumerate(WORDS, 1)]
    blocks = split(page_of(f"<section class=question>{question}</section>", *posts))
    kept = ForumTagger(forum_folder).tag(blocks).kept
    texts = [blocks.texts[at] for at in np.flatnonzero(kept)]
    assert texts == ["Tea or coffee", question, *WORDS]


QUESTION = "Which of the two do you drink in the evening, and does it keep you awake at night?"
HEAD = '<p class="by"><a href="/u/zoe">zoe</a></p><p class="date">4 May 2020, 09:12</p>'


@pytest.mark.parametrize(
    ("head", "wanted"),
    [
        (HEAD, ["zoe", "ann", "ann", "ann"]),
        ("", ["ann", "ann", "ann"]),
        (HEAD * 4, ["ann", "ann", "ann"]),
    ],
)
def test_a_signed_question_is_a_post(forum_model: ForumModel, head: str, wanted: list[str]) -> None:
    posts = [post(place, text) for place, text in enumerate(WORDS, 1)]
    question = f"<section class=question>{head}<div class=qtext>{QUESTION}</div></section>"
    found = forum_posts([page_of(question, *posts)], forum_model)[0].posts
    assert [one.author for one in found] == wanted
    assert [one.first for one in found] == [True] + [False] * (len(wanted) - 1)
    assert [one.text for one in found][-3:] == list(WORDS)
    assert found[0].text == (QUESTION if len(wanted) > 3 else WORDS[0])
    assert found[0].published.iso[:10] == ("2020-05-04" if len(wanted) > 3 else "2020-05-05")


def test_a_menu_opens_nothing(forum_model: ForumModel) -> None:
    menu = "".join(f"<li><a href=/{at}>5 May 2020</a>" for at in range(30))
    parts = [f"<ul class=menu>{menu}</ul>", *(post(at, text) for at, text in enumerate(WORDS, 1))]
    page = outline(split(page_of(*parts)))
    one = choose([page], forum_model)[0]
    assert one is not None
    assert len(with_opener(page, one, forum_model).fields.records) == len(one.fields.records)


def test_tagger_of_pages_without_posts(forum_folder: Path) -> None:
    tagger = ForumTagger(forum_folder)
    assert len(tagger.tag(split(Page("")))) == 0
    assert tagger.judge(split(Page("<img>")))[1] == 0.0


def test_auto_takes_the_other_tagger_for_articles(forum_folder: Path, demo: Path) -> None:
    other = load_tagger()
    auto = tagger_of("auto", other, forum_folder)
    assert isinstance(auto, AutoTagger)
    article = split(Page("<h1>Ice</h1><p>On Monday the ferry stayed in its harbour, again.</p>"))
    assert (auto.tag(article).labels == other.tag(article).labels).all()
    forum = ForumTagger(forum_folder)
    assert (auto.tag(split(SIMPLE)).labels == forum.tag(split(SIMPLE)).labels).all()


# the documentation


def test_the_worked_example(root: Path, tmp_path: Path) -> None:
    """The program of docs/forum.md, as it stands there."""
    text = (root / "docs" / "forum.md").read_text("utf-8")
    program = text.partition("```python\n")[2].partition("```")[0]
    (tmp_path / "data").symlink_to(root / "data")
    subprocess.run(
        [sys.executable, "-c", program],
        check=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(root)},
    )
    assert load_forum_model(tmp_path / "my-forums").fields
