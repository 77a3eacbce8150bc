"""Markdown -> the tree of parts that a CommonMark parser reads in it, and trees made comparable."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
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
    """Markdown as nested lists, each a name and what is inside."""
    return normal(_built(_flat(PARSER.parse(text, {}))))


Events = Iterator[tuple[str, str]]


def _flat(tokens: Iterable[Any]) -> Events:
    """Tokens as ("open", name), ("text", text), ("close", "")."""
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


def _whole(name: str, *texts: str) -> Events:
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
    return _whole(f"codeblock {token.info}", token.content.removesuffix("\n"))


def _html(tag: str) -> Iterator[tuple[str, str]]:
    if tag == "<br>":
        yield from [("open", "break"), ("close", "")]
        return
    found = re.fullmatch(r"<(/?)(\w+)>", tag)
    assert found, tag
    yield ("close", "") if found[1] else ("open", TAGS[found[2]])


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
    "code_inline": lambda token: _whole("code", token.content),
    "image": lambda token: _whole(f"image {_link(token, 'src')}"),
    "footnote_ref": lambda token: _whole(f"note {token.meta['label']}"),
    "hardbreak": lambda _: _whole("break"),
    "hr": lambda _: _whole("rule"),
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
    """A part as Markdown has it: definitions as lists, cells of one line, figures dissolved."""
    if isinstance(part, str):
        return [part]
    return PLAIN.get(part.kind, _named)(part)


def _named(part: Any) -> list[Any]:
    facts = {name: str(told) for name, told in part.facts.items()}
    order = NAMES.get(part.kind, ())
    told = [unquote(facts.get(name, "")) for name in order]
    return [[" ".join([part.kind, *filter(None, told)]), *_inside(part)]]


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
    """Images that stand together are a paragraph."""
    found: list[Any] = []
    for one in inside:
        if one[0].split(" ")[0] in ("image", "link"):
            if not (found and found[-1][0] == "paragraph*"):
                found.append(["paragraph*"])
            found[-1].append(one)
        else:
            found.append(one)
    return [["paragraph", *one[1:]] if one[0] == "paragraph*" else one for one in found]


def _notes(part: Any) -> list[Any]:
    found: list[Any] = []
    for one in part.children:
        if one.facts.get("id"):
            found.append([f"footnote {one.facts['id']}", *_inside(one)])
            continue
        if not (found and found[-1][0] == "list"):
            found.append(["list"])
        found[-1].append(["item", *_inside(one)])
    return found


def _terms(part: Any) -> list[Any]:
    found: list[Any] = []
    for one in part.children:
        inside = [more for child in one.children for more in plain(child)]
        if one.kind == "term":
            found.append(["item", *inside])
        elif not found:
            return [["item", *_inside(each)] for each in part.children]
        else:
            last = found[-1]
            if not (isinstance(last[-1], list) and last[-1][0] == "list"):
                last.append(["list"])
            last[-1].append(["item", *inside])
    return found


def _inside(part: Any) -> list[Any]:
    return [more for child in part.children for more in plain(child)]


def _table(part: Any) -> list[Any]:
    """Tables without spans and with lines in their cells."""
    rows = [child for child in part.children if child.kind == "row"]
    captions = [one for child in part.children if child.kind == "caption" for one in plain(child)]
    width = max(len(row.children) for row in rows)
    cells = [
        [[more for child in cell.children for more in plain(child)] for cell in row.children]
        for row in rows
    ]
    first = rows[0].children
    full = first[1:] if not first[0].children else first
    head = cells.pop(0) if full and all(cell.facts["header"] for cell in full) else []
    made = [["cell header", *cell] for cell in head + [[]] * (width - len(head))]
    body = [[["cell", *cell] for cell in row + [[]] * (width - len(row))] for row in cells]
    return [*captions, ["table", ["row", *made], *(["row", *row] for row in body)]]


def _code_pieces(one: Any) -> list[Any]:
    if not isinstance(one, str):
        return [one]
    return [" " * one.startswith(" "), ["code", one.strip(" ")], " " * one.endswith(" ")]


PLAIN: dict[str, Callable[[Any], list[Any]]] = {
    "list": _list,
    "definitions": lambda part: [["list", *_terms(part)]],
    "figure": lambda part: _paragraphs(_inside(part)),
    "table": _table,
    "caption": lambda part: [["paragraph", *_inside(part)]],
    "footnotes": _notes,
    "note": lambda part: [[f"note {part.facts['id']}"]],
    "code": lambda part: [piece for one in _inside(part) for piece in _code_pieces(one)],
}


def normal(parts: list[Any]) -> list[Any]:
    """Texts that touch as one; the first line of an item in it, as the canonical form has it."""
    found: list[Any] = []
    for part in parts:
        if isinstance(part, str):
            if found and isinstance(found[-1], str):
                found[-1] += part
            else:
                found.append(part)
            continue
        inside = normal(part[1:])
        if part[0].split(" ")[0] in ("item", "footnote") and inside and inside[0][0] == "paragraph":
            others = [one[0].split(" ")[0] for one in inside[1:]]
            if all(one == "list" for one in others):
                inside = [*inside[0][1:], *inside[1:]]
        found.append([part[0], *inside])
    return [one for one in found if one != ""]
