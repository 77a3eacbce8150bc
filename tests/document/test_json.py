"""Tests of `document/json.py`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from doubles import KeepAll
from jsonschema import Draft202012Validator

import crfclean
from crfclean.document.json import to_dict, to_row
from crfclean.document.parts import Show
from crfclean.pipeline import run
from crfclean.types import Document, Label, Page, Tags

SCHEMA = json.loads(
    (Path(crfclean.__file__).parent / "document" / "schemas" / "document.json").read_text("utf-8")
)
HTML = """<title>T</title><h2>Head</h2><p>One <a href="/x">link</a>.</p>
<ol start="3"><li>a<ul><li>b</li></ul></li></ol>
<table><tr><th>n<th>v</tr><tr><td>x<td>1</tr></table>
<pre><code class="language-python">def f():
    pass</code></pre><blockquote><p>Said.</p></blockquote>"""


def document(html: str = HTML) -> Document:
    return run(Page(html, "https://example.org/a/"), KeepAll())


def check(told: Any) -> None:
    Draft202012Validator(SCHEMA).validate(told)


def test_types_and_facts() -> None:
    told = to_dict(document())
    check(told)
    assert [(one["text"], one["type"], one["facts"]) for one in told["blocks"]] == [
        ("Head", "heading", {"level": 2}),
        ("One link.", "paragraph", {}),
        ("a", "item", {"depth": 1, "ordered": True, "number": 3}),
        ("b", "item", {"depth": 2, "ordered": False}),
        ("n", "cell", {"row": 1, "column": 1, "header": True}),
        ("v", "cell", {"row": 1, "column": 2, "header": True}),
        ("x", "cell", {"row": 2, "column": 1, "header": False}),
        ("1", "cell", {"row": 2, "column": 2, "header": False}),
        ("def f():\n    pass", "codeblock", {"language": "python"}),
        ("Said.", "paragraph", {"quotes": 1}),
    ]


def test_spans_are_of_the_text() -> None:
    told = to_dict(document())
    for one in told["blocks"]:
        start, end = one["span"]
        assert told["text"][start:end] == one["text"]


def test_the_tree_of_parts_is_told_where_it_is_wanted() -> None:
    assert "content" not in to_dict(document())
    told = to_dict(document(), Show(parts=True))
    check(told)
    kinds = [one["kind"] for one in told["content"]]
    assert kinds == ["heading", "paragraph", "list", "table", "codeblock", "quote"]
    link = told["content"][1]["children"][1]
    assert link["facts"] == {"address": "https://example.org/x"}
    assert link["children"] == ["link"]
    assert told["content"][0]["xpath"].endswith("/h2[1]")
    bare = to_dict(document(), Show(parts=True, tables=False, links=False))
    assert [one["kind"] for one in bare["content"]] == [kind for kind in kinds if kind != "table"]
    assert bare["content"][1]["children"] == ["One link."]


def test_blocks_that_are_switched_off_are_null_and_change_no_text() -> None:
    for switches in ({}, {"tables": False}, {"headings": False}, {"parts": True}):
        whole = to_dict(document(), Show(**switches))
        told = to_dict(document(), Show(places=False, **switches))
        check(told)
        assert told == whole | {"blocks": None}
    row = json.loads(to_row(document(), Show(places=False, metadata=False), id="1"))
    check(row)
    assert row["text"] == to_dict(document())["text"]


def test_text_alone_needs_no_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_document: Document, **_switches: bool) -> None:
        raise AssertionError

    monkeypatch.setattr("crfclean.document.json.content", refuse)
    assert to_dict(document(), Show(places=False, metadata=False))["text"]
    with pytest.raises(AssertionError):
        to_dict(document(), Show(places=False, metadata=False, tables=False))


def with_comment(*left_out: int) -> Document:
    """The page with its last block as a comment, and some blocks left out."""
    page = document()
    comments = np.zeros(len(page.blocks), np.bool_)
    comments[-1] = True
    labels = np.where(comments, Label.OTHER, page.tags.labels)
    labels[[*left_out]] = Label.OTHER
    return Document(page.url, page.blocks, Tags(labels, page.tags.marginals, 1.0, comments))


def test_comments_have_no_span() -> None:
    told = to_dict(with_comment(), Show(parts=True))
    check(told)
    (comment,) = told["comments"]
    assert (comment["text"], comment["span"], comment["type"]) == ("Said.", None, "paragraph")
    assert told["comments_content"][0]["children"] == ["Said."]
    assert "Said." not in told["text"]


def test_blocks_that_are_left_out() -> None:
    page = with_comment(1)
    fields = to_dict(page, Show(left_out=True, tables=False))
    check(fields)
    assert [block["text"] for block in fields["left_out"]] == ["One link.", *"nvx1"]
    indices = [
        block["index"] for key in ("blocks", "comments", "left_out") for block in fields[key]
    ]
    assert sorted(indices) == list(range(len(page.blocks)))
    assert {block["kind"] for block in fields["left_out"]} == {"paragraph", "table"}
    assert "left_out" not in to_dict(page)
