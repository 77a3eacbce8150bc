from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from doubles import KeepAll
from jsonschema import Draft202012Validator

import crfclean
from crfclean.metadata.values import Metadata
from crfclean.pipeline import run
from crfclean.structure.block_types import FACT_TYPES
from crfclean.structure.parts import FACTS, Show
from crfclean.types import Document, Label, Page, Tags
from crfclean.writers.json import part_dicts, to_dict, to_json, to_jsonl, to_row

SCHEMA = json.loads(
    (Path(crfclean.__file__).parent / "writers" / "schemas" / "document.json").read_text("utf-8")
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


def test_old_keys_come_first_as_they_were() -> None:
    first = to_dict(document())["blocks"][0]
    assert list(first)[:6] == ["index", "label", "probability", "tag", "xpath", "text"]


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


def test_what_is_left_out_is_neither_in_text_nor_blocks() -> None:
    whole = to_dict(document())
    for name, kind in (("tables", "cell"), ("headings", "heading")):
        told = to_dict(document(), Show(**{name: False}))
        check(told)
        texts = [one["text"] for one in whole["blocks"] if one["type"] != kind]
        assert [one["text"] for one in told["blocks"]] == texts
        assert len(texts) < len(whole["blocks"])
        assert told["text"] == "\n".join(texts)
        for one in told["blocks"]:
            start, end = one["span"]
            assert told["text"][start:end] == one["text"]
    assert to_dict(document(), Show(links=False, formatting=False, images=False)) == whole


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
    def refuse(_document: Document) -> None:
        raise AssertionError

    monkeypatch.setattr("crfclean.writers.json.content", refuse)
    assert to_dict(document(), Show(places=False, metadata=False))["text"]
    with pytest.raises(AssertionError):
        to_dict(document(), Show(places=False, metadata=False, tables=False))


def test_comments_have_no_span() -> None:
    found = document()
    comments = np.zeros(len(found.blocks), np.bool_)
    comments[-1] = True
    labels = np.where(comments, Label.OTHER, found.tags.labels)
    tags = Tags(labels, found.tags.marginals, 1.0, comments)
    told = to_dict(Document(found.url, found.blocks, tags), Show(parts=True))
    check(told)
    (comment,) = told["comments"]
    assert (comment["text"], comment["span"], comment["type"]) == ("Said.", None, "paragraph")
    assert told["comments_content"][0]["children"] == ["Said."]
    assert "Said." not in told["text"]


def test_blocks_that_are_left_out() -> None:
    page = document()
    comments = np.zeros(len(page.blocks), np.bool_)
    comments[-1] = True
    labels = np.where(comments, Label.OTHER, page.tags.labels)
    labels[1] = Label.OTHER
    tags = Tags(labels, page.tags.marginals, 1.0, comments)
    fields = to_dict(Document(page.url, page.blocks, tags), Show(left_out=True, tables=False))
    check(fields)
    assert [block["text"] for block in fields["left_out"]] == ["One link.", *"nvx1"]
    indices = [
        block["index"] for key in ("blocks", "comments", "left_out") for block in fields[key]
    ]
    assert sorted(indices) == list(range(len(page.blocks)))
    assert {block["kind"] for block in fields["left_out"]} == {"paragraph", "table"}
    assert "left_out" not in to_dict(page)


def test_lines_of_corpora_have_the_same_shape() -> None:
    row = json.loads(to_row(document(), id="1", date="", message="", model="m"))
    check(row)
    assert row["blocks"] == to_dict(document())["blocks"]
    assert json.loads(to_json(document())) == json.loads(to_jsonl(document()))


@pytest.mark.parametrize("html", ["", "<p></p>", "\x00\xff", "<p>\ud800 a</p>"])
def test_bad_pages_have_the_shape_as_well(html: str) -> None:
    told = to_dict(document(html), Show(parts=True))
    check(told)
    check(json.loads(to_row(document(html), Show(parts=True), id="1")))


def test_the_schema_knows_all_kinds_and_facts() -> None:
    told = SCHEMA["$defs"]
    assert sorted(told["part"]["properties"]["kind"]["enum"]) == sorted(FACTS)
    facts = told["block"]["properties"]["facts"]["properties"]
    names = {"integer": int, "boolean": bool, "string": str}
    assert {name: names[one["type"]] for name, one in facts.items()} == dict(FACT_TYPES)


def test_the_schema_knows_all_metadata() -> None:
    names = {one.name for one in fields(Metadata)}
    assert set(SCHEMA["properties"]["metadata"]["properties"]) == names
    assert set(to_dict(document())["metadata"]) == names


def test_no_parts() -> None:
    assert part_dicts((), document("").blocks) == []
