"""Inline parts and text -> Markdown of one paragraph, heading or cell (CommonMark 0.31, GFM).

Nothing in a text becomes a mark. Marks that CommonMark would not read where they stand (its rules
of left- and right-flanking delimiter runs) are written as HTML, as are those it has none for.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from crfclean.structure.parts import INLINE_KINDS, Content, Part

_TAGS: Mapping[str, str] = {
    "emphasis": "em",
    "strong": "strong",
    "deleted": "del",
    "inserted": "ins",
    "marked": "mark",
    "subscript": "sub",
    "superscript": "sup",
}
_ALWAYS = re.compile(r"[\\`*~\[\]<]")
_REFERENCE = re.compile(r"&(?=#?\w+;)")
_UNDERSCORES = re.compile(r"_+")
_LINE_START = re.compile(r"[#+=>|-]|:(?=[-|])")
_NUMBER = re.compile(r"(\d{1,9})([.)])(?=\s|$)")
_TICKS = re.compile(r"`+")
_ODD_ADDRESS = re.compile(r"[\x00-\x20()<>\\\x7f]")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a line stands: what parts its lines, and whether it is in a table."""

    line_break: str = "\\\n"
    cell: bool = False


PARAGRAPH = Place()
HEADING = Place("<br>")
CELL = Place("<br>", cell=True)


def to_inline(children: Sequence[Content], place: Place = PARAGRAPH) -> str:
    """The Markdown of a line."""
    tokens = _tokens(children, place)
    for at, token in enumerate(tokens):
        if token.kind == "text":
            token.text = _text(tokens, at, place)
    for at, token in enumerate(tokens):
        if token.kind in _TAGS and not token.closes:
            _mark(tokens, at)
    written = "".join(token.text for token in tokens)
    if place == HEADING:
        written = re.sub(r"#(?=#*\Z)", r"\\#", written)
    return written.replace("|", "\\|") if place.cell else written


def parted(part: Part) -> tuple[Sequence[Content], list[Part]]:
    """The text and inline parts that a part begins with, and the others."""
    others = [one for one in part.children if isinstance(one, Part) and not _is_inline(one)]
    return part.children[: len(part.children) - len(others)], others


def _is_inline(one: Content) -> bool:
    return isinstance(one, str) or one.kind in INLINE_KINDS


@dataclass(slots=True, eq=False)
class _Token:
    """A piece of a line: text, something whole, or the mark where a part begins or ends."""

    kind: str
    text: str = ""
    closes: bool = False
    end: int = -1


def _tokens(children: Sequence[Content], place: Place) -> list[_Token]:
    """A line as flat pieces, marks not written yet; as deep as there are kinds of marks."""
    found: list[_Token] = []
    for child in children:
        _add(found, child, place)
    return found


def _add(found: list[_Token], child: Content, place: Place) -> None:
    if isinstance(child, str):
        found.append(_Token("text", child))
    elif child.kind in _ADD:
        _ADD[child.kind](found, child, place)
    else:
        _add_marked(found, child, place)


def _add_break(found: list[_Token], _part: Part, place: Place) -> None:
    found.append(_Token("break", place.line_break))


def _add_image(found: list[_Token], part: Part, _place: Place) -> None:
    found += [_Token("image", text) for text in [_image(part)] if text]


def _add_note(found: list[_Token], part: Part, _place: Place) -> None:
    found.append(_Token("note", f"[^{part.facts['id']}]"))


def _add_code(found: list[_Token], part: Part, place: Place) -> None:
    for one in part.children:
        if isinstance(one, str):
            space = one.startswith(" "), one.endswith(" ")  # beside a picture: it stands outside
            found += [_Token("text", " ")] * space[0] + [_Token("code", _code(one.strip(" ")))]
            found += [_Token("text", " ")] * space[1]
        else:
            _add(found, one, place)


def _add_link(found: list[_Token], part: Part, place: Place) -> None:
    found.append(_Token("link", "["))
    for one in part.children:
        _add(found, one, place)
    found.append(_Token("close", _destination(part.facts, "address")))


def _add_marked(found: list[_Token], part: Part, place: Place) -> None:
    begin = _Token(part.kind)
    found.append(begin)
    for one in part.children:
        _add(found, one, place)
    begin.end = len(found)
    found.append(_Token(part.kind, closes=True))


_ADD: Mapping[str, Callable[[list[_Token], Part, Place], None]] = {
    "break": _add_break,
    "image": _add_image,
    "note": _add_note,
    "code": _add_code,
    "link": _add_link,
}
"""Kind of part -> how it is added, where it has no marks at both ends."""


# what is whole


def _image(part: Part) -> str:
    if not part.facts.get("source"):
        return ""
    return f"![{_escaped(part.facts.get('description', ''))}" + _destination(part.facts, "source")


def _destination(facts: Mapping[str, str], name: str) -> str:
    """The end of a link or image: its address, and its title if it has one."""
    address = _REFERENCE.sub(r"\\&", re.sub(r"[\\<>]", r"\\\g<0>", facts[name]))
    if _ODD_ADDRESS.search(facts[name]):
        address = f"<{address}>"
    title = _REFERENCE.sub(r"\\&", re.sub(r'[\\"]', r"\\\g<0>", facts.get("title", "")))
    return f']({address} "{title}")' if title else f"]({address})"


def _code(text: str) -> str:
    """A code span, its marks longer than any inside."""
    runs = {len(run) for run in _TICKS.findall(text)}
    ticks = "`" * next(size for size in range(1, len(runs) + 2) if size not in runs)
    padding = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{padding}{text}{padding}{ticks}"


# text


def _text(tokens: Sequence[_Token], at: int, place: Place) -> str:
    """A text without anything that would be read as a mark where it stands."""
    text = tokens[at].text
    before = tokens[at - 1].kind if at else "break"
    after = tokens[at + 1] if at + 1 < len(tokens) else None
    found = _escaped(text)
    if before == "break" and place == PARAGRAPH:
        found = _NUMBER.sub(r"\1\\\2", found, count=1) if _NUMBER.match(found) else found
        found = f"\\{found}" if _LINE_START.match(found) else found
    if before == "note" and found[:1] in ("(", ":"):
        found = f"\\{found}"
    if found.endswith("!") and after is not None and after.kind in ("link", "note"):
        found = f"{found[:-1]}\\!"
    return found


def _escaped(text: str) -> str:
    """A text of which nothing within a line is a mark."""
    text = _REFERENCE.sub(r"\\&", _ALWAYS.sub(r"\\\g<0>", text))
    return _UNDERSCORES.sub(_underscores, text)


def _underscores(found: re.Match[str]) -> str:
    """Underscores inside a word mark nothing."""
    before = found.string[found.start() - 1 : found.start()]
    after = found.string[found.end() : found.end() + 1]
    return found[0] if before.isalnum() and after.isalnum() else "\\_" * len(found[0])


# marks

_SPACE, _LETTER, _SYMBOL, _POINT = range(4)
"""What a character is to the rules of flanking; versions of CommonMark differ on symbols."""


def _class(char: str) -> int:
    if not char or char.isspace():
        return _SPACE
    if char.isascii():
        return _LETTER if char.isalnum() or char < " " else _POINT
    category = unicodedata.category(char)[0]
    return {"P": _POINT, "S": _SYMBOL, "Z": _SPACE}.get(category, _LETTER)


def _around(tokens: Sequence[_Token], at: int, step: int) -> int:
    """The class of what stands next to a mark, in the direction of `step`."""
    place = at + step
    if not 0 <= place < len(tokens):
        return _SPACE
    token = tokens[place]
    if token.kind == "text":
        return _class(token.text[0 if step > 0 else -1 :][:1])
    if token.kind == "break" and step < 0 and token.text.endswith("\n"):
        return _SPACE
    return _POINT


def _mark(tokens: Sequence[_Token], at: int) -> None:
    """Write both ends of a part."""
    token, end = tokens[at], tokens[at].end
    outer = _around(tokens, at, -1), _around(tokens, end, 1)
    inner = _around(tokens, at, 1), _around(tokens, end, -1)
    mark = _delimiter(token.kind, outer, inner, near=_beside_stars(tokens, at, end))
    if mark:
        token.text = tokens[end].text = mark
    else:
        token.text, tokens[end].text = f"<{_TAGS[token.kind]}>", f"</{_TAGS[token.kind]}>"


def _delimiter(kind: str, outer: tuple[int, int], inner: tuple[int, int], *, near: bool) -> str:
    """The delimiter that CommonMark reads at both ends of a part, "" for none.

    https://spec.commonmark.org/0.31.2/#left-flanking-delimiter-run
    """
    if _SPACE in inner:
        return ""
    parted = [one in (_SPACE, _POINT) for one in outer]
    if not all(apart or within == _LETTER for apart, within in zip(parted, inner, strict=True)):
        return ""
    if kind == "emphasis":
        return "_" if all(parted) else ("" if near else "*")
    return {"strong": "**", "deleted": "~~"}.get(kind, "")


def _beside_stars(tokens: Sequence[_Token], at: int, end: int) -> bool:
    """Whether the mark of a strong part touches a part's own."""
    near = (at - 1, at + 1, end - 1, end + 1)
    return any(0 <= one < len(tokens) and tokens[one].kind == "strong" for one in near)
