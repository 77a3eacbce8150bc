"""Tests of `page/head.py`."""

from __future__ import annotations

import json

import pytest

from crfclean.page.blocks import split
from crfclean.page.head import HeadMetadata, head_metadata, json_objects, json_values, read_json
from crfclean.types import Page


def read(html: str) -> HeadMetadata:
    return head_metadata(split(Page(html)))


def json_ld(text: str) -> str:
    return f'<script type="application/ld+json">{text}</script><p>a</p>'


NOTHING = HeadMetadata(("",), (), (), frozenset())


def test_titles() -> None:
    html = (
        "<title>one</title><meta property=og:title content=two>"
        "<meta name=twitter:title content=three>"
        + json_ld('{"headline": "four", "alternativeHeadline": "five", "name": "six"}')
    )
    assert read(html).titles == ("one", "two", "three", "four", "five")


def test_descriptions() -> None:
    html = (
        "<meta name=description content=one><meta property=og:description content=two>"
        "<meta name=keywords content=no><meta name=description>"
        + json_ld('{"description": "three"}')
    )
    assert read(html).descriptions == ("one", "two", "three")


def test_bodies() -> None:
    assert read(json_ld('{"articleBody": "one", "text": "two"}')).bodies == ("one", "two")


def test_metadata_in_the_body_are_none() -> None:
    assert read("<body><p>a</p><meta property=og:title content=x></body>") == NOTHING


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "{'a': 1}", '{"headline": "x"', "null", "3", "true", '"headline"', "[]", "{}"),
        *("NaN", "[null, 1, [2]]", "9" * 5_000, "[" * 100_000, '{"a":' * 100_000, "\x00"),
    ],
)
def test_broken_structured_data_give_nothing(text: str) -> None:
    assert read(json_ld(text)) == NOTHING


def test_depth_that_json_can_read() -> None:
    text = '{"a":' * 400 + '{"headline": "deep"}' + "}" * 400
    assert read(json_ld(text)).titles == ("", "deep")


def test_ten_megabytes_are_left_out() -> None:
    text = json.dumps({"articleBody": "word " * 2_000_000})
    assert len(text) > 10_000_000
    assert read(json_ld(text)) == NOTHING


def test_the_readers_of_structured_data_share_its_values() -> None:
    page = split(Page(json_ld('{"@type": "Article", "headline": "Ice"}')))
    assert json_objects(page) == ({"@type": "Article", "headline": "Ice"},)
    assert json_objects(page)[0] is json_values(page)[0]


@pytest.mark.parametrize(
    "script", ['{"headline": "Ice"}}', '// <![CDATA[\n{"headline": "Ice"}\n// ]]>']
)
def test_what_stands_around_a_value_is_ignored(script: str) -> None:
    assert read_json(script) == {"headline": "Ice"}
