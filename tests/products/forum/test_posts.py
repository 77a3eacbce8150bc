"""Tests of `forum/`: from elements and records to posts."""

from __future__ import annotations

import json
import pickle
import sys
from datetime import datetime
from pathlib import Path
from shutil import copytree
from typing import Any

import numpy as np
import pytest

from crfclean.io import with_digest
from crfclean.page.blocks import split
from crfclean.page.decode import decode
from crfclean.products.forum import posts as forum_posts
from crfclean.products.forum.dates import DateReader, When
from crfclean.products.forum.fields import DATES, NICK
from crfclean.products.forum.model import ForumModel, load_forum_model
from crfclean.products.forum.outline import element_name, folded_words, letters, outline
from crfclean.products.forum.picking import pick
from crfclean.products.forum.post_dates import looks_like_date
from crfclean.products.forum.post_words import topic, unsigned
from crfclean.products.forum.records import INSIDE, records
from crfclean.products.forum.tagger import ForumTagger
from crfclean.products.forum.thread import Thread
from crfclean.products.forum.thread_writers import CSV_COLUMNS, thread_to_csv, thread_to_text
from crfclean.types import Label, ModelError, Page

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


# words and dates


@pytest.mark.parametrize(
    "text",
    "5 May 2020|12.03.2021|2 hours ago|gestern|vor 3 Tagen|3/13/2014|12 kvě 2021|14 września 2020|"
    "12 Февраль 2017|11:43pm|2020-01-02|il y a 3 jours|včera|Posted February 2".split("|"),
)
def test_dates_are_seen(text: str) -> None:
    assert looks_like_date(text)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("12 kvě 2021, 07:14", When("2021-05-12T07:14:00", "exact")),
        ("4. Januar 2022", When("2022-01-04", "day")),
        ("14 września 2020", When("2020-09-14", "day")),
        ("13.05.2024", When("2024-05-13", "day")),
        ("13.05.24, 10:02", When("2024-05-13T10:02:00", "exact")),
        ("12 Февраль 2017, 19:40:11", When("2017-02-12T19:40:11", "exact")),
        ("February 2", When("--02-02", "no-year")),
        ("3 days ago", When("", "relative")),
        ("Reply", When("", "unknown")),
        ("x" * 500, When("", "unknown")),
        ("99.99.2020", When("", "unknown")),
        ("March 2012", When("", "unknown")),
        ("10:16am On Apr 24", When("--04-24", "no-year")),
        ("2020. július 11., 20:35", When("2020-07-11T20:35:00", "exact")),
        ("2020年2月11日 12:30", When("2020-02-11T12:30:00", "exact")),
        ("2020年2月11日", When("2020-02-11", "day")),
        ("2019년 3월 4일", When("2019-03-04", "day")),
        ("Jul 18, '12 at 12:05 AM", When("2012-07-18T00:05:00", "exact")),
        ("Today in pictures: July 31, 2012", When("2012-07-31", "day")),
    ],
)
def test_dates_are_read(text: str, wanted: When) -> None:
    assert DateReader().read(text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("3 hours ago", "2024-06-15"),
        ("13 hours ago", "2024-06-14"),
        ("7 days ago 7 days ago", "2024-06-08"),
        ("1 week, 4 days ago", "2024-06-04"),
        ("vor 10 Monaten 3 Wochen", "2023-07-25"),
        ("3 minggu lalu", "2024-05-25"),  # not minutes
        ("1个月前", "2024-05-15"),
        ("ayer a las 10:30", "2024-06-14T10:30:00"),
        ("vorgestern", "2024-06-13"),
        ("2mo", "2024-04-15"),
        ("10:30", "2024-06-15T10:30:00"),
        ("7:28 PM", "2024-06-14T19:28:00"),  # a later hour is of the day before
        ("July 24", "2023-07-24"),
        ("29 February", "2024-02-29"),
        ("9999 years ago", ""),
    ],
)
def test_what_counts_back_is_read_from_the_fetching(text: str, wanted: str) -> None:
    assert DateReader(fetched=datetime(2024, 6, 15, 12)).read(text).iso == wanted  # noqa: DTZ001


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
    assert DateReader().read("5 May 2020", machine) == wanted


# records and fields


def test_every_post_has_its_record() -> None:
    page = outline(split(SIMPLE))
    found = records(page, np.array(page.groups["div.body"]))
    texts = page.page.table.run_texts
    heads = [texts[start] for start in found.start.tolist()]
    assert heads == ["ann"] * 3
    assert [int((found.record == place).sum()) for place in range(3)] == [4, 4, 4]
    assert (found.side == INSIDE).sum() == 3


# learning and choosing


@pytest.mark.parametrize("site", SITES)
def test_demo_posts(root: Path, forum_model: ForumModel, site: str) -> None:
    golds = sorted((root / "data" / "forum" / site).glob("*.posts.json"))
    pages = [Path(str(path).replace(".posts.json", ".html")).read_bytes() for path in golds]
    found = forum_posts([decode(page) for page in pages], forum_model)
    for path, thread in zip(golds, found, strict=True):
        posts = json.loads(path.read_text("utf-8"))
        for field, fold in (("text", folded_words), ("author", str), ("date", letters)):
            told = [fold(getattr(one, field)) for one in thread.posts]
            assert told == [fold(one[field]) for one in posts]
        assert all(o.published.iso or o.published.certainty == "relative" for o in thread.posts)


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


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        (["a", "_____", "sig"], ["a"]),
        (["a", "--", "sig"], ["a"]),
        (["_____", "a"], ["_____", "a"]),
        (["a", "--", *"123456789"], ["a", "--", *"123456789"]),
        ([], []),
    ],
)
def test_unsigned(lines: list[str], wanted: list[str]) -> None:
    assert unsigned(lines) == wanted


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


def test_bad_pages_say_why(forum_model: ForumModel) -> None:
    bad = [Page("", status="empty"), Page("", status="binary"), Page("<img>")]
    found = forum_posts([*bad, SIMPLE], forum_model)
    assert [one.status for one in found] == ["empty", "binary", "no-posts", "ok"]
    assert len(found[3].posts) == 3
    assert forum_posts([], forum_model) == []


def test_where_no_post_has_an_author_or_a_date_there_are_none(
    forum_model: ForumModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fields may be likely each by itself, and none be picked, as among a site's menus."""
    module, count = sys.modules["crfclean.products.forum.posts"], 3
    for kept, status in ((NICK, "ok"), (DATES, "ok"), (None, "no-posts")):

        def picked(*group: Any, label: int | None = kept) -> list[int]:
            return pick(*group) if group[2] == label else [-1] * count

        monkeypatch.setattr(module, "pick", picked)
        thread = forum_posts([SIMPLE], forum_model)[0]
        assert (thread.status, len(thread.posts)) == (status, count * (status == "ok"))


def test_many_posts_and_deep_pages(forum_model: ForumModel) -> None:
    """1,000 posts, and 3,000 levels: all is bounded."""
    many = page_of(*(post(number, f"word {number} of many") for number in range(1_000)))
    deep = Page("<div>" * 3_000 + "x" + "</div>" * 3_000)
    found = forum_posts([many, deep], forum_model)
    assert len(found[0].posts) == 1_000
    assert found[1].status in {"ok", "no-posts"}


# outputs


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


# models


def test_changed_features_are_refused(forum_folder: Path, tmp_path: Path) -> None:
    copied = Path(copytree(forum_folder, tmp_path / "forum"))
    manifest = json.loads((copied / "manifest.json").read_bytes())
    manifest["features"]["nick"] = "0" * 12
    (copied / "manifest.json").write_text(json.dumps(with_digest(manifest)))
    with pytest.raises(ModelError, match=r"other features \(nick changed\): train it"):
        load_forum_model(copied)


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
