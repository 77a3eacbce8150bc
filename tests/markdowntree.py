"""Markdown -> the tree of parts that a CommonMark parser reads in it, and trees made comparable."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
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
    "footnote_open": "footnote",
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


def _flat(tokens: Iterable[Any]) -> Iterator[tuple[str, str]]:
    """Tokens as ("open", name), ("text", text), ("close", "")."""
    for token in tokens:
        kind = token.type
        if kind == "inline":
            yield from _flat(token.children)
        elif kind == "paragraph_open":
            yield "open", "paragraph"
        elif kind == "heading_open":
            yield "open", f"heading {token.tag[1]}"
        elif kind in ("td_open", "th_open"):
            yield "open", "cell" + (" header" if kind == "th_open" else "")
        elif kind == "link_open":
            title = token.attrGet("title")
            yield "open", f"link {address(token.attrGet('href'))}" + (f" {title}" if title else "")
        elif kind == "list_item_open":
            yield "open", f"item {token.info}".strip()
        elif kind == "footnote_open":
            yield "open", f"footnote {token.meta['label']}"
        elif kind in ("fence", "code_block"):
            yield "open", f"codeblock {token.info}".strip()
            yield "text", token.content.removesuffix("\n")
            yield "close", ""
        elif kind == "code_inline":
            yield from [("open", "code"), ("text", token.content), ("close", "")]
        elif kind == "image":
            title = token.attrGet("title")
            yield "open", f"image {address(token.attrGet('src'))} {token.content_alt}".strip() if (
                hasattr(token, "content_alt")
            ) else f"image {address(token.attrGet('src'))} {alt(token)} {title or ''}".strip()
            yield "close", ""
        elif kind == "footnote_ref":
            yield from [("open", f"note {token.meta['label']}"), ("close", "")]
        elif kind in ("hardbreak", "hr"):
            yield "open", "break" if kind == "hardbreak" else "rule"
            yield "close", ""
        elif kind == "softbreak":
            yield "text", "\n"
        elif kind == "html_inline":
            yield from _html(token.content)
        elif kind in OPEN:
            yield "open", OPEN[kind]
        elif kind.endswith("_close") and kind not in ("thead_close", "tbody_close"):
            yield "close", ""
        elif kind == "text":
            yield "text", token.content
        elif kind not in ("thead_open", "tbody_open", "thead_close", "tbody_close",
                          "footnote_anchor"):  # fmt: skip
            raise AssertionError(kind, token.content)


def alt(token: Any) -> str:
    return "".join(child.content for child in token.children)


def _html(tag: str) -> Iterator[tuple[str, str]]:
    if tag == "<br>":
        yield from [("open", "break"), ("close", "")]
        return
    found = re.fullmatch(r"<(/?)(\w+)>", tag)
    assert found, tag
    yield ("close", "") if found[1] else ("open", TAGS[found[2]])


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
    kind, facts, inside = part.kind, part.facts, [one for child in part.children for one in plain(child)]
    if kind == "definitions":
        return [["list", *_terms(part)]]
    if kind == "figure":
        return _paragraphs(inside)
    if kind == "table":
        return _table(part)
    if kind in ("caption", "term"):
        return [["paragraph", *inside]]
    if kind == "footnotes":
        return _notes(part)
    if kind == "code":
        return [["code", one] if isinstance(one, str) else one for one in inside]
    names = {
        "heading": lambda: f"heading {facts['level']}",
        "list": lambda: "list ordered" if facts.get("ordered") else "list",
        "item": lambda: f"item {facts.get('number', '')}".strip(),
        "codeblock": lambda: f"codeblock {facts.get('language', '')}".strip(),
        "link": lambda: f"link {unquote(facts['address'])} {facts.get('title', '')}".strip(),
        "image": lambda: f"image {unquote(facts['source'])} {facts.get('description', '')} "
        f"{facts.get('title', '')}".strip(),
        "note": lambda: f"note {facts['id']}",
    }
    name = names[kind]() if kind in names else kind
    if kind == "list" and facts.get("ordered"):
        inside = [
            [f"item {one[0].partition(' ')[2] or at}", *one[1:]] for at, one in enumerate(inside, 1)
        ]
    elif kind == "list":
        inside = [["item", *one[1:]] for one in inside]
    return [[name] if kind == "note" else [name, *inside]]


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
        inside = [more for child in one.children for more in plain(child)]
        found.append([f"footnote {one.facts['id']}", *inside])
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
    full = [cell for cell in rows[0].children if cell.children]
    head = cells.pop(0) if full and all(cell.facts["header"] for cell in full) else []
    made = [["cell header", *cell] for cell in head + [[]] * (width - len(head))]
    body = [[["cell", *cell] for cell in row + [[]] * (width - len(row))] for row in cells]
    return [*captions, ["table", ["row", *made], *(["row", *row] for row in body)]]


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
