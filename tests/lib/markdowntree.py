"""Trees of parts that a CommonMark parser reads from Markdown, in comparable form."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any
from urllib.parse import unquote

from markdown_it import MarkdownIt
from mdit_py_plugins.footnote import footnote_plugin

PARSER = (
    MarkdownIt("commonmark")
    .enable(["table", "strikethrough"])
    .use(footnote_plugin, inline=False, move_to_end=False)
)
OPEN = {
    "bullet_list_open": "list",
    "ordered_list_open": "list ordered",
    "list_item_open": "item",
    "blockquote_open": "quote",
    "table_open": "table",
    "tr_open": "row",
    "em_open": "emphasis",
    "strong_open": "strong",
    "s_open": "deleted",
}
TAGS = {
    "em": "emphasis",
    "strong": "strong",
    "del": "deleted",
    "ins": "inserted",
    "mark": "marked",
    "sub": "subscript",
    "sup": "superscript",
}


def read(text: str) -> list[Any]:
    """Read Markdown as nested lists, each a name and its content."""
    return normal(_built(_flat(PARSER.parse(text, {}))))


Events = Iterator[tuple[str, str]]


def _flat(tokens: Iterable[Any]) -> Events:
    """Turn tokens into events ("open", name), ("text", text), ("close", "")."""
    for token in tokens:
        kind = token.type
        if kind in SPECIAL:
            yield from SPECIAL[kind](token)
        elif kind in OPEN:
            yield "open", OPEN[kind]
        elif kind in SILENT:
            continue
        else:
            assert kind.endswith("_close"), (kind, token.content)
            yield "close", ""


def _complete(name: str, *texts: str) -> Events:
    yield "open", name.strip()
    yield from (("text", text) for text in texts)
    yield "close", ""


def _opened(name: str) -> Events:
    yield "open", name.strip()


def _text(token: Any) -> Events:
    yield "text", token.content


def _link(token: Any, name: str = "href") -> str:
    return f"{address(token.attrGet(name))} {_alt(token)}".strip() + (
        f" {token.attrGet('title')}" if token.attrGet("title") else ""
    )


def _alt(token: Any) -> str:
    return "".join(child.content for child in token.children or ())


def _code(token: Any) -> Events:
    return _complete(f"codeblock {token.info}", token.content.removesuffix("\n"))


def _html(tag: str) -> Iterator[tuple[str, str]]:
    if tag == "<br>":
        yield from [("open", "break"), ("close", "")]
        return
    match = re.fullmatch(r"<(/?)(\w+)>", tag)
    assert match, tag
    yield ("close", "") if match[1] else ("open", TAGS[match[2]])


SILENT = frozenset("thead_open tbody_open thead_close tbody_close footnote_anchor".split())
SPECIAL: dict[str, Callable[[Any], Events]] = {
    "inline": lambda token: _flat(token.children),
    "paragraph_open": lambda _: _opened("paragraph"),
    "heading_open": lambda token: _opened(f"heading {token.tag[1]}"),
    "td_open": lambda _: _opened("cell"),
    "th_open": lambda _: _opened("cell header"),
    "link_open": lambda token: _opened(f"link {_link(token)}"),
    "list_item_open": lambda token: _opened(f"item {token.info}"),
    "footnote_reference_open": lambda token: _opened(f"footnote {token.meta['label']}"),
    "fence": _code,
    "code_inline": lambda token: _complete("code", token.content),
    "image": lambda token: _complete(f"image {_link(token, 'src')}"),
    "footnote_ref": lambda token: _complete(f"note {token.meta['label']}"),
    "hardbreak": lambda _: _complete("break"),
    "hr": lambda _: _complete("rule"),
    "softbreak": lambda _: iter([("text", "\n")]),
    "html_inline": lambda token: _html(token.content),
    "text": _text,
}


def _built(events: Iterable[tuple[str, str]]) -> list[Any]:
    stack: list[list[Any]] = [[""]]
    for event, text in events:
        if event == "open":
            stack.append([text])
        elif event == "text":
            stack[-1].append(text)
        else:
            closed = stack.pop()
            stack[-1].append(closed)
    assert len(stack) == 1
    return stack[0][1:]


def address(text: str) -> str:
    return unquote(text)


# parts


def plain(part: Any) -> list[Any]:
    """Reduce a part to Markdown: definitions as lists, cells of one line, no figures."""
    if isinstance(part, str):
        return [part]
    return PLAIN.get(part.kind, _named)(part)


def _named(part: Any) -> list[Any]:
    facts = {name: str(value) for name, value in part.facts.items()}
    values = [unquote(facts.get(name, "")) for name in NAMES.get(part.kind, ())]
    return [[" ".join([part.kind, *filter(None, values)]), *_inside(part)]]


NAMES = {
    "heading": ("level",),
    "codeblock": ("language",),
    "link": ("address", "title"),
    "image": ("source", "description", "title"),
}


def _list(part: Any) -> list[Any]:
    numbers = [item.facts.get("number", at) for at, item in enumerate(part.children, 1)]
    ordered = part.facts.get("ordered")
    names = [f"item {number}" if ordered else "item" for number in numbers]
    items = [[name, *_inside(item)] for name, item in zip(names, part.children, strict=True)]
    return [["list ordered" if ordered else "list", *items]]


def _paragraphs(inside: list[Any]) -> list[Any]:
    """Join adjacent images and links into paragraphs."""
    joined: list[Any] = []
    for part in inside:
        if part[0].split(" ")[0] in ("image", "link"):
            if not (joined and joined[-1][0] == "paragraph*"):
                joined.append(["paragraph*"])
            joined[-1].append(part)
        else:
            joined.append(part)
    return [["paragraph", *part[1:]] if part[0] == "paragraph*" else part for part in joined]


def _notes(part: Any) -> list[Any]:
    notes: list[Any] = []
    for note in part.children:
        if note.facts.get("id"):
            notes.append([f"footnote {note.facts['id']}", *_inside(note)])
            continue
        if not (notes and notes[-1][0] == "list"):
            notes.append(["list"])
        notes[-1].append(["item", *_inside(note)])
    return notes


def _terms(part: Any) -> list[Any]:
    items: list[Any] = []
    after_term = False
    for entry in part.children:
        inside = _inside(entry)
        after_term = after_term or entry.kind == "term"
        if entry.kind == "term" or not after_term:
            items.append(["item", *inside])
        else:
            last = items[-1]
            if not (isinstance(last[-1], list) and last[-1][0] == "list"):
                last.append(["list"])
            last[-1].append(["item", *inside])
    return items


def _inside(part: Any) -> list[Any]:
    return [inner for child in part.children for inner in plain(child)]


def _table(part: Any) -> list[Any]:
    """Write a table without spans, a missing header row as empty cells."""
    rows = [child for child in part.children if child.kind == "row"]
    captions = [child for child in part.children if child.kind == "caption"]
    width = max(len(row.children) for row in rows)
    cells = [[_inside(cell) for cell in row.children] for row in rows]
    first = rows[0].children
    full = first[1:] if not first[0].children else first
    head = cells.pop(0) if full and all(cell.facts["header"] for cell in full) else []
    header = [["cell header", *cell] for cell in head + [[]] * (width - len(head))]
    body = [[["cell", *cell] for cell in row + [[]] * (width - len(row))] for row in cells]
    return [
        *chain.from_iterable(map(plain, captions)),
        ["table", ["row", *header], *(["row", *row] for row in body)],
    ]


def _code_parts(part: Any) -> list[Any]:
    if not isinstance(part, str):
        return [part]
    return [" " * part.startswith(" "), ["code", part.strip(" ")], " " * part.endswith(" ")]


PLAIN: dict[str, Callable[[Any], list[Any]]] = {
    "list": _list,
    "definitions": lambda part: [["list", *_terms(part)]],
    "figure": lambda part: _paragraphs(_inside(part)),
    "table": _table,
    "caption": lambda part: [["paragraph", *_inside(part)]],
    "footnotes": _notes,
    "note": lambda part: [[f"note {part.facts['id']}"]],
    "code": lambda part: [code for inner in _inside(part) for code in _code_parts(inner)],
}


def normal(parts: list[Any]) -> list[Any]:
    """Join adjacent texts, and move the first line of an item into the item: the canonical form."""
    joined: list[Any] = []
    for part in parts:
        if isinstance(part, str):
            if joined and isinstance(joined[-1], str):
                joined[-1] += part
            else:
                joined.append(part)
            continue
        inside = normal(part[1:])
        if part[0].split(" ")[0] in ("item", "footnote") and inside and inside[0][0] == "paragraph":
            kinds = [other[0].split(" ")[0] for other in inside[1:]]
            if all(kind == "list" for kind in kinds):
                inside = [*inside[0][1:], *inside[1:]]
        joined.append([part[0], *inside])
    return [part for part in joined if part != ""]
