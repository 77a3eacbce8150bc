"""Tests of `forum/structured.py`: what JSON-LD tells of posts, and what it must not do."""

from __future__ import annotations

import json
from typing import Any

import pytest

from crfclean.page.head import objects, read_json
from crfclean.products.forum import posts as forum_posts
from crfclean.products.forum.data_items import DataItem, data_items, match_items, surer_date
from crfclean.products.forum.dates import NEVER, When
from crfclean.products.forum.model import ForumModel
from crfclean.products.forum.replies import Reply
from crfclean.products.forum.thread import Thread
from crfclean.products.forum.thread_writers import thread_to_dict
from crfclean.types import Page

WORDS = (
    "I have had nothing but tea since Monday.",
    "Coffee in the morning, tea in the afternoon, and nothing after six.",
    "Water, thank you.",
)
COMMENT = {
    "@type": "Comment",
    "text": WORDS[1],
    "author": {"@type": "Person", "name": "bob", "url": "/u/bob"},
    "dateCreated": "2020-05-05T08:02:07Z",
    "url": "/t/1#p2",
}
THREAD = {
    "@context": "https://schema.org",
    "@type": "DiscussionForumPosting",
    "articleBody": f"<p>{WORDS[0]}</p>",
    "author": [{"name": "ann"}],
    "datePublished": "2020-05-05",
    "url": "https://example.org/t/1",
    "comment": [COMMENT, {"@type": "Comment", "text": "Not on the page at all.", "author": "eve"}],
}


def page_of(*scripts: Any, author: str = "ann", date: str = "5 May 2020") -> Page:
    """A thread of `WORDS`, with JSON-LD."""
    parts = [
        f'<div class="post"><p class="author"><a>{author}</a></p><p class="date">{date}</p>'
        f'<div class="body">{words}</div><a class="reply">Reply</a></div>'
        for words in WORDS
    ]
    told = [one if isinstance(one, str) else json.dumps(one) for one in scripts]
    data = "".join(f'<script type="application/ld+json">{one}</script>' for one in told)
    html = f"<html lang=en><title>Tea</title>{data}<body><h1>Tea</h1>{''.join(parts)}</body>"
    return Page(html, url="https://example.org/t/1")


def thread_of(model: ForumModel, *scripts: Any, **given: str) -> Thread:
    return forum_posts([page_of(*scripts, **given)], model)[0]


def test_items_of_a_thread() -> None:
    first, second = sorted(data_items(objects([THREAD])), key=lambda one: one.author)[:2]
    assert first.text == "i have had nothing but tea since monday"
    assert (first.author, first.when, first.url) == ("ann", When("2020-05-05", "day"), "")
    assert (second.author, second.author_url, second.url) == ("bob", "/u/bob", "/t/1#p2")
    assert second.when == When("2020-05-05T08:02:07Z", "exact")


def test_items_of_questions() -> None:
    answers = {"@type": "Answer", "text": "Tea."}
    question = {"@type": "Question", "text": "Tea or coffee?", "acceptedAnswer": answers}
    page = {"@graph": [{"@type": "QAPage", "mainEntity": question}]}
    assert [one.text for one in data_items(objects([page]))] == ["tea or coffee", "tea"]


@pytest.mark.parametrize(
    ("items", "matched"),
    [
        ([WORDS[2], WORDS[0] * 3], {0: 0, 2: 1}),
        ([WORDS[0] * 2, WORDS[0] * 3], {}),  # two items begin alike
        ([WORDS[1], ""], {}),  # two posts begin alike
    ],
)
def test_an_item_is_that_of_the_post_that_begins_alike(
    items: list[str], matched: dict[int, int]
) -> None:
    texts = [f"{WORDS[2]}!", WORDS[1], f"{WORDS[0]} " * 5, WORDS[1], ""]
    stated = [DataItem(text.lower(), str(number)) for number, text in enumerate(items)]
    told = match_items(texts, stated)
    assert {place: int(item.author) for place, item in told.items()} == matched


@pytest.mark.parametrize(
    "script",
    [
        "",
        "{",
        "[" * 100_000,
        "1" * 5_000,
        "null",
        '{"@type": 1, "text": 2}',
        '{"@type": "Comment", "text": ["a"], "author": [[]], "url": {}}',
        '{"@type": "Comment"}',
        '{"@type": ["Person", null], "text": "a"}',
    ],
)
def test_broken_data_give_nothing(script: str) -> None:
    assert data_items(objects([read_json(script)])) == []


def test_hostile_values_are_dropped() -> None:
    bad = COMMENT | {
        "author": {"name": "x" * 500},
        "dateCreated": "2020-13-45T99:99",
        "text": "tea \ud800<" + "<" * 50_000,
    }
    (one,) = data_items(objects([bad]))
    assert (one.author, one.author_url, one.when) == ("", "", NEVER)
    assert one.text == "tea"


def test_addresses_are_those_of_web_pages(forum_model: ForumModel) -> None:
    author = {"name": "rob", "url": "data:text/html,x"}
    bad = COMMENT | {"url": "javascript:alert(1)", "author": author}
    post = thread_of(forum_model, bad).posts[1]
    assert (post.author, post.author_url, post.url) == ("rob", "", "")


@pytest.mark.parametrize(
    ("seen", "told", "wanted"),
    [
        (NEVER, When("2020-05-05", "day"), "2020-05-05"),
        (When("", "relative"), When("2020-05-05T10:00:00Z", "exact"), "2020-05-05T10:00:00Z"),
        (When("--05-05", "no-year"), When("2020-05-05", "day"), "2020-05-05"),
        (When("2020-05-05", "day"), When("2020-05-06T01:00:00", "exact"), "2020-05-06T01:00:00"),
        (When("2020-05-05T10:00:00", "exact"), When("2020-05-05", "day"), "2020-05-05T10:00:00"),
        (When("2020-05-05", "day"), When("2020-09-09T10:00:00", "exact"), "2020-05-05"),
        (NEVER, When("1970-01-01T00:00:00+0000", "exact"), ""),
        (When("2020-05-05", "day"), NEVER, "2020-05-05"),
    ],
)
def test_the_surer_date(seen: When, told: When, wanted: str) -> None:
    assert surer_date(seen, told).iso == wanted


def test_posts_take_what_the_data_tell(forum_model: ForumModel) -> None:
    plain, told = thread_of(forum_model), thread_of(forum_model, THREAD)
    assert [one.text for one in told.posts] == [one.text for one in plain.posts] == list(WORDS)
    assert [one.from_data for one in plain.posts] == [()] * 3
    assert [one.author for one in told.posts] == ["ann", "bob", "ann"]
    assert told.posts[1].author_url == "https://example.org/u/bob"
    assert told.posts[1].url == "https://example.org/t/1#p2"
    assert told.posts[1].published == When("2020-05-05T08:02:07Z", "exact")
    assert told.posts[0].from_data == ()
    assert thread_to_dict(told)["posts"][1]["fromData"] == [
        "author",
        "author.url",
        "datePublished",
        "url",
        "postId",
    ]


@pytest.mark.parametrize(
    ("facts", "number"),
    [
        ({"identifier": 17}, "17"),
        ({"identifier": "c-17"}, "c-17"),
        ({"identifier": {"@type": "PropertyValue", "value": "17"}}, "17"),
        ({"identifier": "https://a.example/17"}, ""),
        ({"identifier": True}, ""),
        ({"identifier": "x" * 99}, ""),
        ({"identifier": [17]}, ""),
        ({"url": "/t/1#p17"}, "17"),
        ({"url": "/t/1?comment=17"}, "17"),
        ({"@id": "/questions/5/title/17"}, "17"),
        ({"url": "/t/tea"}, ""),
    ],
)
def test_numbers_of_items(facts: dict[str, Any], number: str) -> None:
    (item,) = data_items(objects([{"@type": "Answer", "text": "Water.", **facts}]))
    assert item.number == number


def test_data_say_what_is_answered(forum_model: ForumModel) -> None:
    inner = {**COMMENT, "text": WORDS[2], "url": "/t/1#p3", "author": "eve"}
    nested = {**THREAD, "comment": [{**COMMENT, "comment": [inner]}]}
    replies = [post.reply for post in thread_of(forum_model, nested).posts]
    assert replies == [None, Reply(0, "", "data"), Reply(1, "2", "data")]
