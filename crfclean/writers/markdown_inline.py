"""Write inline parts and text as Markdown of a paragraph, heading or cell (CommonMark 0.31, GFM).

Nothing in a text becomes a mark. Marks that CommonMark would not read where they stand (by its
rules of left- and right-flanking delimiter runs), and marks that it does not have, are HTML.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

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
_SPECIAL_CHARS = re.compile(r"[\\`*~\[\]<]")
_REFERENCE = re.compile(r"&(?=#?\w+;)")  # `&copy;` in a text would be read as the sign
_UNDERSCORES = re.compile(r"_+")
_LINE_START = re.compile(r"[#+=>|-]|:(?=[-|])")  # `# a`, `> a`, `---`; `:-` begins a table
_NUMBER = re.compile(r"(\d{1,9})([.)])(?=\s|$)")  # `1984. A year` would be read as an item
_TICKS = re.compile(r"`+")
_ODD_ADDRESS = re.compile(r"[\x00-\x20()<>\\\x7f]")


class LineContext(NamedTuple):
    """Where a line stands: how its breaks are written, and whether it is in a table."""

    line_break: str = "\\\n"
    cell: bool = False


PARAGRAPH_LINE = LineContext()
HEADING_LINE = LineContext("<br>")
CELL_LINE = LineContext("<br>", cell=True)


def to_inline(children: Sequence[Content], context: LineContext = PARAGRAPH_LINE) -> str:
    """Return the Markdown of a line."""
    tokens = _tokens(children, context)
    for at, token in enumerate(tokens):
        if token.kind == "text":
            token.text = _text(tokens, at, context)
    for at, token in enumerate(tokens):
        if token.kind in _TAGS and not token.closes:
            _mark(tokens, at)
    line = "".join(token.text for token in tokens)
    if context == HEADING_LINE:  # trailing signs, as in `C#`, would be read as the heading's end
        line = re.sub(r"#(?=#*\Z)", r"\\#", line)
    return line.replace("|", "\\|") if context.cell else line


def split_inline(part: Part) -> tuple[Sequence[Content], list[Part]]:
    """Return the text and inline parts that a part begins with, and its other parts."""
    children = (child for child in part.children if isinstance(child, Part))
    others = [child for child in children if child.kind not in INLINE_KINDS]
    return part.children[: len(part.children) - len(others)], others


@dataclass(slots=True, eq=False)
class _Token:
    """A token of a line: a text, a finished part, or the mark where a part begins or ends."""

    kind: str
    text: str = ""
    closes: bool = False
    end: int = -1


def _tokens(children: Sequence[Content], context: LineContext) -> list[_Token]:
    """A line as flat tokens, marks still to be written; as deep as there are kinds of marks."""
    tokens: list[_Token] = []
    for child in children:
        _add(tokens, child, context)
    return tokens


def _add(tokens: list[_Token], child: Content, context: LineContext) -> None:
    if isinstance(child, str):
        tokens.append(_Token("text", child))
    elif child.kind in _ADD:
        _ADD[child.kind](tokens, child, context)
    else:
        _add_marked(tokens, child, context)


def _add_break(tokens: list[_Token], _part: Part, context: LineContext) -> None:
    tokens.append(_Token("break", context.line_break))


def _add_image(tokens: list[_Token], part: Part, _context: LineContext) -> None:
    tokens += [_Token("image", text) for text in [_image(part)] if text]


def _add_note(tokens: list[_Token], part: Part, _context: LineContext) -> None:
    tokens.append(_Token("note", f"[^{part.facts['id']}]"))


def _add_formula(tokens: list[_Token], part: Part, context: LineContext) -> None:
    """Add a formula's TeX between dollar signs; its characters alone are a text."""
    tex = part.facts.get("tex", "")
    mark = "$$" if part.facts.get("display") else "$"
    if tex:
        tokens.append(_Token("formula", f"{mark}{tex}{mark}"))
    else:
        _add_children(tokens, part, context)


def _add_children(tokens: list[_Token], part: Part, context: LineContext) -> None:
    for child in part.children:
        _add(tokens, child, context)


def _add_code(tokens: list[_Token], part: Part, context: LineContext) -> None:
    for child in part.children:
        if isinstance(child, str):
            # Spaces beside a picture in code go outside of the code.
            before, after = child.startswith(" "), child.endswith(" ")
            tokens += [_Token("text", " ")] * before + [_Token("code", _code(child.strip(" ")))]
            tokens += [_Token("text", " ")] * after
        else:
            _add(tokens, child, context)


def _add_link(tokens: list[_Token], part: Part, context: LineContext) -> None:
    tokens.append(_Token("link", "["))
    for child in part.children:
        _add(tokens, child, context)
    tokens.append(_Token("close", _destination(part.facts, "address")))


def _add_marked(tokens: list[_Token], part: Part, context: LineContext) -> None:
    begin = _Token(part.kind)
    tokens.append(begin)
    for child in part.children:
        _add(tokens, child, context)
    begin.end = len(tokens)
    tokens.append(_Token(part.kind, closes=True))


_ADD: Mapping[str, Callable[[list[_Token], Part, LineContext], None]] = {
    "break": _add_break,
    "image": _add_image,
    "formula": _add_formula,
    "note": _add_note,
    "ruby": _add_children,
    "reading": lambda _tokens, _part, _context: None,
    "code": _add_code,
    "link": _add_link,
}
"""Kind of part -> how it is added, unless it has the same mark at both ends."""


# finished parts


def _image(part: Part) -> str:
    if not part.facts.get("source"):
        return ""
    return f"![{_escaped(part.facts.get('description', ''))}" + _destination(part.facts, "source")


def _destination(facts: Mapping[str, str], name: str) -> str:
    """The end of a link or image: its address and its title, if any."""
    address = _REFERENCE.sub(r"\\&", re.sub(r"[\\<>]", r"\\\g<0>", facts[name]))
    if _ODD_ADDRESS.search(facts[name]):
        address = f"<{address}>"
    title = _REFERENCE.sub(r"\\&", re.sub(r'[\\"]', r"\\\g<0>", facts.get("title", "")))
    return f']({address} "{title}")' if title else f"]({address})"


def _code(text: str) -> str:
    """A code span, between runs of backticks of a length that does not occur in it."""
    runs = {len(run) for run in _TICKS.findall(text)}
    ticks = "`" * next(size for size in range(1, len(runs) + 2) if size not in runs)
    padding = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{padding}{text}{padding}{ticks}"


# text


def _text(tokens: Sequence[_Token], at: int, context: LineContext) -> str:
    """A text with everything escaped that would be read as a mark where it stands."""
    text = tokens[at].text
    before = tokens[at - 1].kind if at else "break"
    after = tokens[at + 1] if at + 1 < len(tokens) else None
    escaped = _escaped(text)
    if before == "break" and context == PARAGRAPH_LINE:
        escaped = _NUMBER.sub(r"\1\\\2", escaped, count=1) if _NUMBER.match(escaped) else escaped
        escaped = f"\\{escaped}" if _LINE_START.match(escaped) else escaped
    if before == "note" and escaped[:1] in ("(", ":"):  # `[^1](a)` is a link, `[^1]: a` a footnote
        escaped = f"\\{escaped}"
    if escaped.endswith("!") and after is not None and after.kind in ("link", "note"):
        escaped = f"{escaped[:-1]}\\!"  # `![a](b)` is an image
    return escaped


def _escaped(text: str) -> str:
    """A text of which nothing is a mark inside a line."""
    text = _REFERENCE.sub(r"\\&", _SPECIAL_CHARS.sub(r"\\\g<0>", text))
    return _UNDERSCORES.sub(_underscores, text)


def _underscores(match: re.Match[str]) -> str:
    """Escape underscores, except inside a word (`snake_case`), where they mark nothing."""
    before = match.string[match.start() - 1 : match.start()]
    after = match.string[match.end() : match.end() + 1]
    return match[0] if before.isalnum() and after.isalnum() else "\\_" * len(match[0])


# marks

_SPACE, _LETTER, _SYMBOL, _POINT = range(4)
"""Classes of characters in the rules of flanking; versions of CommonMark differ on symbols."""


def _class(char: str) -> int:
    if not char or char.isspace():
        return _SPACE
    if char.isascii():
        return _LETTER if char.isalnum() or char < " " else _POINT
    category = unicodedata.category(char)[0]
    return {"P": _POINT, "S": _SYMBOL, "Z": _SPACE}.get(category, _LETTER)


def _around(tokens: Sequence[_Token], at: int, step: int) -> int:
    """The class of the character next to a mark, in the direction of `step`."""
    neighbour = at + step
    if not 0 <= neighbour < len(tokens):
        return _SPACE
    token = tokens[neighbour]
    if token.kind == "text":
        return _class(token.text[0 if step > 0 else -1 :][:1])
    if token.kind == "break" and step < 0 and token.text.endswith("\n"):
        return _SPACE
    return _POINT


def _mark(tokens: Sequence[_Token], at: int) -> None:
    """Write the marks at both ends of a part."""
    token, end = tokens[at], tokens[at].end
    outer = _around(tokens, at, -1), _around(tokens, end, 1)
    inner = _around(tokens, at, 1), _around(tokens, end, -1)
    mark = _delimiter(token.kind, outer, inner, starred=_beside_stars(tokens, at, end))
    if mark:
        token.text = tokens[end].text = mark
    else:
        token.text, tokens[end].text = f"<{_TAGS[token.kind]}>", f"</{_TAGS[token.kind]}>"


def _delimiter(kind: str, outer: tuple[int, int], inner: tuple[int, int], *, starred: bool) -> str:
    """The delimiter that CommonMark reads at both ends of a part, "" for none.

    https://spec.commonmark.org/0.31.2/#left-flanking-delimiter-run
    """
    if _SPACE in inner:
        return ""
    apart = [char_class in (_SPACE, _POINT) for char_class in outer]
    if not all(
        is_apart or within == _LETTER for is_apart, within in zip(apart, inner, strict=True)
    ):
        return ""
    if kind == "emphasis":
        return "_" if all(apart) else ("" if starred else "*")
    return {"strong": "**", "deleted": "~~"}.get(kind, "")


def _beside_stars(tokens: Sequence[_Token], at: int, end: int) -> bool:
    """Whether the mark of a strong part touches a mark of this part."""
    neighbours = (at - 1, at + 1, end - 1, end + 1)
    return any(0 <= i < len(tokens) and tokens[i].kind == "strong" for i in neighbours)
