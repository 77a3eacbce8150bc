"""Tests of texts in structured data."""

from __future__ import annotations

import json

import pytest

from crfclean.carried.texts import json_ld_texts


def texts(*values: object) -> list[tuple[str, str]]:
    found = json_ld_texts(tuple(json.dumps(value) for value in values))
    assert {carried.source for carried in found} <= {"json-ld"}
    return [(carried.heading, carried.text) for carried in found]


def test_bodies_the_longest_first() -> None:
    article = {"@type": "NewsArticle", "headline": "Rain", "articleBody": "It rained.\nA lot."}
    post = {"@type": ["SocialMediaPosting"], "name": "Hail", "text": "Hail."}
    assert texts({"@graph": [post, article]}) == [
        ("Rain", "It rained.\nA lot."),
        ("Hail", "Hail."),
    ]


@pytest.mark.parametrize("kind", ["Product", "JobPosting", ["Thing", "Event"]])
def test_descriptions_of_things(kind: object) -> None:
    thing = {"@type": kind, "title": "Oak beam", "description": "<p>Four metres.</p>"}
    assert texts(thing) == [("Oak beam", "<p>Four metres.</p>")]


@pytest.mark.parametrize("kind", ["Comment", "Answer", "Review"])
def test_what_readers_write_is_no_article(kind: str) -> None:
    assert texts({"@type": kind, "text": "First!"}) == []


def test_broken_and_deep_scripts_are_left_out() -> None:
    deep = '{"a":' * 100_000
    closed = "[" * 100_000 + "]" * 100_000
    good = '{"@type": "Article", "text": "a"}'
    assert [text.text for text in json_ld_texts((deep, closed, '{"text":', good))] == ["a"]
