"""Tests of `page/head.py`."""

from __future__ import annotations

import json

import pytest

from crfclean.page.blocks import split
from crfclean.page.head import MAX_ITEMS, HeadMetadata, head_metadata, read_json
from crfclean.page.measures import Measures
from crfclean.types import Page


def read(html: str) -> HeadMetadata:
    return head_metadata(Measures(split(Page(html))))


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


def test_types() -> None:
    html = "<meta property=og:type content=' Article '>" + json_ld('{"@type": "NewsArticle"}')
    assert read(html).types == {"og:article", "newsarticle"}


def test_types_in_a_list() -> None:
    assert read(json_ld('{"@type": ["Product", "Offer"]}')).types == {"product", "offer"}


def test_metadata_in_the_body_are_none() -> None:
    assert read("<body><p>a</p><meta property=og:title content=x></body>") == NOTHING


def test_values_at_any_depth() -> None:
    text = '[{"@graph": [{"headline": "one"}, {"a": {"headline": "two"}}]}, "headline", 3]'
    assert sorted(read(json_ld(text)).titles) == ["", "one", "two"]


def test_values_that_are_no_text_are_left_out() -> None:
    assert read(json_ld('{"headline": 3, "description": null, "text": true}')) == NOTHING


def test_line_breaks_in_values() -> None:
    assert read(json_ld('{"headline": "one\ntwo"}')).titles == ("", "one\ntwo")


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "{'a': 1}", '{"headline": "x"', "null", "3", "true", '"headline"', "[]", "{}"),
        *("NaN", "[null, 1, [2]]", "9" * 5_000, "[" * 100_000, '{"a":' * 100_000, "\x00"),
    ],
)
def test_broken_structured_data_give_nothing(text: str) -> None:
    assert read(json_ld(text)) == NOTHING


def test_scripts_beside_a_broken_one_are_read() -> None:
    html = json_ld("{broken") + json_ld('{"headline": "one"}') + json_ld("null")
    assert read(html).titles == ("", "one")


def test_depth_that_json_can_read() -> None:
    text = '{"a":' * 400 + '{"headline": "deep"}' + "}" * 400
    assert read(json_ld(text)).titles == ("", "deep")


def test_items_are_bounded() -> None:
    many = json.dumps([{"headline": "x"}] * (2 * MAX_ITEMS))
    assert len(read(json_ld(many)).titles) == MAX_ITEMS


def test_ten_megabytes_are_left_out() -> None:
    text = json.dumps({"articleBody": "word " * 2_000_000})
    assert len(text) > 10_000_000
    assert read(json_ld(text)) == NOTHING


def test_surrogates_and_other_scripts() -> None:
    text = '{"headline": "\\ud800 中文 ไทย", "@type": "\\u0416"}'
    assert read(json_ld(text)).titles == ("", "  中文 ไทย")
    assert read(json_ld(text)).types == {"ж"}


@pytest.mark.parametrize(
    "meta",
    [
        "<meta>",
        "<meta content>",
        "<meta name content=x>",
        "<meta property=og:title>",
        "<meta name>",
    ],
)
def test_attributes_without_value(meta: str) -> None:
    assert read(meta + "<p>a</p>") == NOTHING


def test_page_without_elements() -> None:
    assert read("") == NOTHING


def test_the_readers_of_a_script_share_its_value() -> None:
    script = '{"@type": "Article", "headline": "Ice"}'
    assert read_json(script) is read_json(script)
    assert read_json(script) == {"@type": "Article", "headline": "Ice"}


@pytest.mark.parametrize("script", ["", "{", "var a = 1;", "[" * 100_000])
def test_no_json_has_no_value(script: str) -> None:
    assert read_json(script) is None
    assert read_json(script + " " * 200_000) is None  # too long to be kept
