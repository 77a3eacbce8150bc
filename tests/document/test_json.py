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
from crfclean.document.columns import ROW_COLUMNS, ROW_NAMES, SWITCHED_COLUMNS, added_columns
from crfclean.document.json import to_dict
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
    told = to_dict(document(), Show(blocks=True))
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
    told = to_dict(document(), Show(blocks=True))
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


def test_what_a_switch_adds_changes_no_other_column() -> None:
    for switches in ({}, {"tables": False}, {"headings": False}, {"metadata": False}):
        row = to_dict(document(), Show(**switches))
        check(row)
        assert tuple(row) == ROW_NAMES
        for name, columns in SWITCHED_COLUMNS.items():
            shown = Show(**switches, **{name: True})
            told = to_dict(document(), shown)
            check(told)
            assert {key: told[key] for key in row} == row
            assert set(told) - set(row) == {*columns} == {*added_columns(shown)}


def test_the_schema_has_the_columns() -> None:
    nested = [name for names in SWITCHED_COLUMNS.values() for name in names]
    assert [*SCHEMA["properties"]] == [*ROW_NAMES, *dict.fromkeys(nested)]
    assert [*SCHEMA["required"]] == [*ROW_NAMES]
    types = {"text": "string", "texts": "array", "number": "number", "flag": "boolean"}
    for column in ROW_COLUMNS:
        told = SCHEMA["properties"][column.name]
        assert types[column.type] in told["type"], column.name
        assert told["description"] == column.about


def test_the_docs_have_the_columns(root: Path) -> None:
    lines = (root / "docs" / "formats.md").read_text("utf-8").splitlines()
    for column in ROW_COLUMNS:
        kind = {"texts": "list"}.get(column.type, column.type)
        assert f"| `{column.name}` | {kind} | {column.about} |" in lines


def test_the_address_says_where_it_is_from() -> None:
    declared = '<link rel=canonical href="https://example.org/b">' + HTML
    for html, url, told in (
        (HTML, None, (None, None)),
        (declared, None, ("https://example.org/b", "page")),
        (declared, "https://example.org/a", ("https://example.org/a", "input")),
    ):
        row = to_dict(run(Page(html, url), KeepAll()))
        assert (row["url"], row["url_from"]) == told


def test_text_alone_needs_no_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_document: Document, **_switches: bool) -> None:
        raise AssertionError

    monkeypatch.setattr("crfclean.document.json.content", refuse)
    assert to_dict(document(), Show(metadata=False))["text"]
    with pytest.raises(AssertionError):
        to_dict(document(), Show(metadata=False, tables=False))


def with_comment(*left_out: int) -> Document:
    """The page with its last block as a comment, and some blocks left out."""
    page = document()
    comments = np.zeros(len(page.blocks), np.bool_)
    comments[-1] = True
    labels = np.where(comments, Label.OTHER, page.tags.labels)
    labels[[*left_out]] = Label.OTHER
    return Document(page.url, page.blocks, Tags(labels, page.tags.marginals, 1.0, comments))


def test_comments_have_no_span() -> None:
    told = to_dict(with_comment(), Show(blocks=True, parts=True))
    check(told)
    assert told["comments"] == "Said."
    (comment,) = told["comment_blocks"]
    assert (comment["text"], comment["span"], comment["type"]) == ("Said.", None, "paragraph")
    assert told["comments_content"][0]["children"] == ["Said."]
    assert "Said." not in told["text"]


def test_blocks_that_are_left_out() -> None:
    page = with_comment(1)
    fields = to_dict(page, Show(left_out=True, tables=False))
    check(fields)
    assert [block["text"] for block in fields["left_out"]] == ["One link.", *"nvx1"]
    indices = [
        block["index"] for key in ("blocks", "comment_blocks", "left_out") for block in fields[key]
    ]
    assert sorted(indices) == list(range(len(page.blocks)))
    assert {block["kind"] for block in fields["left_out"]} == {"paragraph", "table"}
    assert "left_out" not in to_dict(page)
