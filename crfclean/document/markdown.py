"""Write a document as Markdown: CommonMark with GitHub's tables, strikethrough and footnotes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from crfclean.document.budget import LEFT_OUT_MARK
from crfclean.document.content import shown_content
from crfclean.document.kinds import ELEMENTS
from crfclean.document.parts import DEFAULT_SHOW, INLINE_KINDS, Content, Part, Show, split_inline
from crfclean.document.shown import FORMATTING
from crfclean.document.text import box_of, indented, line_text
from crfclean.types import Document

# write inline parts and text as Markdown of a paragraph, heading or cell (CommonMark 0.31, GFM)
#
# All characters of a text are escaped that would be read as marks. A part is HTML if CommonMark has
# no mark for it, or would not read the mark at this place (rules of flanking delimiter runs).

_TAGS: Mapping[str, str] = {kind: ELEMENTS["html"][kind] for kind in FORMATTING - {"code", "ruby"}}
_SPECIAL_CHARS = re.compile(r"[\\`*~\[\]<]")
_ANY_MARK = re.compile(r"[\\`*~\[\]<&_]")
_REFERENCE = re.compile(r"&(?=#?\w+;)")  # `&copy;` in a text would be read as the sign
_UNDERSCORES = re.compile(r"_+")
_LINE_START = re.compile(r"[#+=>|-]|:(?=[-|])")  # `# a`, `> a`, `---`; `:-` begins a table
_BLOCK_START = re.compile(r"[#+=>|*~:_-]|\d+[.)]")  # of a line of TeX: `> x` would be a quote
_NUMBER = re.compile(r"(\d{1,9})([.)])(?=\s|$)")  # `1984. A year` would be read as an item
_ODD_ADDRESS = re.compile(r"[\x00-\x20()<>\\\x7f]")


class LineContext(NamedTuple):
    """The place of a line: how its breaks are written, and whether it is in a table."""

    line_break: str = "\\\n"
    cell: bool = False


PARAGRAPH_LINE = LineContext()
HEADING_LINE = LineContext("<br>")
CELL_LINE = LineContext("<br>", cell=True)


def to_inline(children: Sequence[Content], context: LineContext = PARAGRAPH_LINE) -> str:
    """Return the Markdown of a line."""
    tokens = _tokens(children, context)
    typeset = any(token.kind == "formula" for token in tokens)
    for at, token in enumerate(tokens):
        if token.kind == "text":
            token.text = _text(tokens, at, context)
            if typeset:  # `$5 for $x$` would be read as the formula `5 for `
                token.text = token.text.replace("$", "\\$")
    for at, token in enumerate(tokens):
        if token.kind in _TAGS and not token.closes:
            _mark(tokens, at)
    line = "".join(token.text for token in tokens)
    if context == HEADING_LINE:  # trailing signs, as in `C#`, would be read as the heading's end
        stem = line.rstrip("#")
        line = stem + "\\#" * (len(line) - len(stem))
    return line.replace("|", "\\|") if context.cell else line


@dataclass(slots=True, eq=False)
class _Token:
    """A token of a line: a text, a finished part, or the mark where a part begins or ends.

    `size` is the number of tokens between the two marks.
    """

    kind: str
    text: str = ""
    closes: bool = False
    size: int = 0


def _tokens(children: Sequence[Content], context: LineContext) -> list[_Token]:
    """Return a line as flat tokens whose marks are not written yet."""
    tokens: list[_Token] = []
    for child in children:
        if isinstance(child, str):
            tokens.append(_Token("text", child))
        else:
            tokens += _ADD.get(child.kind, _marked_tokens)(child, context)
    return tokens


def _formula_tokens(part: Part, context: LineContext) -> list[_Token]:
    """Return a formula's TeX between dollar signs, or its text if it has no TeX."""
    tex = _tex(part, context)
    mark = "$$" if part.facts.get("display") else "$"
    return [_Token("formula", f"{mark}{tex}{mark}")] if tex else _tokens(part.children, context)


def _code_tokens(part: Part, context: LineContext) -> list[_Token]:
    """Return the tokens of code; spaces beside a picture in code go outside of the code."""
    tokens: list[_Token] = []
    for child in part.children:
        if isinstance(child, str):
            tokens += [_Token("text", " ")] * child.startswith(" ")
            tokens.append(_Token("code", _code_span(child.strip(" "))))
            tokens += [_Token("text", " ")] * child.endswith(" ")
        else:
            tokens += _tokens([child], context)
    return tokens


def _link_tokens(part: Part, context: LineContext) -> list[_Token]:
    end = _Token("close", _destination(part.facts, "address"))
    return [_Token("link", "["), *_tokens(part.children, context), end]


def _marked_tokens(part: Part, context: LineContext) -> list[_Token]:
    inner = _tokens(part.children, context)
    return [_Token(part.kind, size=len(inner)), *inner, _Token(part.kind, closes=True)]


_ADD: Mapping[str, Callable[[Part, LineContext], list[_Token]]] = {
    "break": lambda _, context: [_Token("break", context.line_break)],
    "image": lambda part, _: [_Token("image", text) for text in [_image(part)] if text],
    "formula": _formula_tokens,
    "note": lambda part, _: [_Token("note", f"[^{part.facts['id']}]")],
    "ruby": lambda part, context: _tokens(part.children, context),
    "reading": lambda _part, _context: [],
    "code": _code_tokens,
    "link": _link_tokens,
}
"""Kind of part -> its tokens, for kinds without the same mark at both ends."""


# finished parts


def _image(part: Part) -> str:
    if not part.facts.get("source"):
        return ""
    return f"![{_escaped(part.facts.get('description', ''))}" + _destination(part.facts, "source")


def _destination(facts: Mapping[str, str], name: str) -> str:
    """Return the end of a link or image: its address and its title, if any."""
    address = _REFERENCE.sub(r"\\&", re.sub(r"[\\<>]", r"\\\g<0>", facts[name]))
    if _ODD_ADDRESS.search(facts[name]):
        address = f"<{address}>"
    title = _REFERENCE.sub(r"\\&", re.sub(r'[\\"]', r"\\\g<0>", facts.get("title", "")))
    return f']({address} "{title}")' if title else f"]({address})"


def _code_span(text: str) -> str:
    """Return a code span between runs of backticks of a length that does not occur in it."""
    runs = {len(run) for run in _TICKS.findall(text)}
    ticks = "`" * next(size for size in range(1, len(runs) + 2) if size not in runs)
    padding = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{padding}{text}{padding}{ticks}"


# TeX
#
# Readers without formulas read TeX as Markdown, which may hold HTML, and those with formulas end
# them at a dollar sign. So marks become TeX that shows the same.

_MATH, _WORDS, _MATH_IN_WORDS = range(3)
"""Modes of TeX: a formula, words in it (`\text{...}`), a formula between dollars in these words."""

_TEX_MARK = re.compile(
    r"\\(?:text[a-z]*|[fhm]box)\s*\{|\\.|\\\Z|[{}$<`]|\](?=\()|&(?=#?\w+;)", re.DOTALL
)
_AS_TEX = {
    "<": {_MATH: r"\lt ", _WORDS: r"\(\lt\)", _MATH_IN_WORDS: r"\lt "},
    "$": {_MATH: r"\$", _WORDS: r"\(", _MATH_IN_WORDS: r"\)"},
    "`": dict.fromkeys(range(3), "‘"),  # as TeX shows it
    "]": dict.fromkeys(range(3), "] "),
    "&": dict.fromkeys(range(3), "& "),
    "\\": dict.fromkeys(range(3), r"\ {}"),  # a space, before the dollar sign at the end
}
"""Mark -> mode -> the same in TeX."""


def _tex(formula: Part, context: LineContext = PARAGRAPH_LINE) -> str:
    """Return the TeX of a formula without marks of Markdown, "" if it has none."""
    modes = [_MATH]  # of the open groups

    def written(match: re.Match[str]) -> str:
        mark, mode = match[0], modes[-1]
        if mark == "}" and len(modes) > 1:
            modes.pop()
        elif mark.endswith("{") and mark != "\\{":
            modes.append(mode if mark == "{" else _WORDS)
        elif mark == "$":
            modes[-1] = {_WORDS: _MATH_IN_WORDS, _MATH_IN_WORDS: _WORDS}.get(mode, mode)
        elif mark == "\\|" and context.cell:  # else it would end the cell
            return "\\Vert "
        return _AS_TEX[mark][mode] if mark in _AS_TEX else mark

    tex = _TEX_MARK.sub(written, formula.facts.get("tex", ""))
    return tex.replace("\\lt  ", "\\lt ").strip()


# text


def _text(tokens: Sequence[_Token], at: int, context: LineContext) -> str:
    """Return a text of a line, with all characters escaped that would be read as marks."""
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
    """Return a text in which no character is a mark inside a line."""
    if not _ANY_MARK.search(text):
        return text
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
    """Return the class of the character next to a mark, in the direction of `step`."""
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
    token, end = tokens[at], at + tokens[at].size + 1
    outer = _around(tokens, at, -1), _around(tokens, end, 1)
    inner = _around(tokens, at, 1), _around(tokens, end, -1)
    beside = (i for i in (at - 1, at + 1, end - 1, end + 1) if 0 <= i < len(tokens))
    starred = any(tokens[i].kind == "strong" for i in beside)
    mark = _delimiter(token.kind, outer, inner, starred=starred)
    if mark:
        token.text = tokens[end].text = mark
    else:
        token.text, tokens[end].text = f"<{_TAGS[token.kind]}>", f"</{_TAGS[token.kind]}>"


def _delimiter(kind: str, outer: tuple[int, int], inner: tuple[int, int], *, starred: bool) -> str:
    """Return the delimiter that CommonMark reads at both ends of a part, "" for none.

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


# write the rows of a table as a Markdown table (GFM), which has a head and one-line cells

MAX_COLUMNS = 64  # that spans may fill; cells themselves are written, however many there are


def table_lines(rows: Sequence[Part]) -> list[str]:
    """Return the lines of a table, [] without cells; without a head row the head is empty."""
    grid = list(_grid(rows))
    width = max((len(row) for row in grid), default=0)
    if not width:
        return []
    head = grid.pop(0) if _is_head(rows[0]) else []
    head += [""] * (width - len(head))
    return ["| " + " | ".join(row) + " |" for row in (head, ["---"] * width, *grid)]


def _is_head(row: Part) -> bool:
    """Return whether all cells of a row are headers, except an empty cell in the corner."""
    cells = [cell for cell in row.children if isinstance(cell, Part)]
    cells = cells[1:] if cells and not cells[0].children else cells
    return bool(cells) and all(cell.facts.get("header") for cell in cells)


def _grid(rows: Sequence[Part]) -> Iterator[list[str]]:
    """Yield the cells of each row, with empty cells where other cells span."""
    spans: dict[int, int] = {}
    for row in rows:
        line: list[str] = []
        below: dict[int, int] = {}
        for cell in row.children:
            if isinstance(cell, Part):
                _skip(line, spans)
                columns = min(cell.facts.get("colspan", 1), max(1, MAX_COLUMNS - len(line)))
                if cell.facts.get("rowspan", 1) > 1:
                    spanned = range(len(line), min(len(line) + columns, MAX_COLUMNS))
                    below |= dict.fromkeys(spanned, cell.facts["rowspan"] - 1)
                line += [_cell(cell)] + [""] * (columns - 1)
        _skip(line, spans)
        spans = below | {at: left - 1 for at, left in spans.items() if left > 1}
        yield line


def _skip(line: list[str], spans: Mapping[int, int]) -> None:
    """Skip the columns that cells above span."""
    while len(line) in spans:
        line.append("")


def _cell(cell: Part) -> str:
    return "<br>".join(filter(None, _cell_lines(cell)))


def _cell_lines(part: Part) -> Iterator[str]:
    """Yield the lines of a cell or of a part inside it."""
    if part.kind == "codeblock":
        text = "".join(child for child in part.children if isinstance(child, str))
        lines = (" ".join(line.split()) for line in text.split("\n"))
        yield from (to_inline([Part("code", (line,))], CELL_LINE) for line in lines if line)
        return
    inline, others = split_inline(part)
    if inline:
        yield to_inline(inline, CELL_LINE)
    if part.kind == "row":
        yield " ".join(_cell(cell) for cell in others)
        return
    for at, child in enumerate(others, 1):
        inner = list(_cell_lines(child))
        if inner and child.kind == "item":
            mark = f"{_number(child, at)}." if part.facts.get("ordered") else "-"
            inner[0] = f"{mark} {inner[0]}"
        yield from inner


# Markdown lacks some marks. Definitions are a list in the item of their term. A cell that spans
# several columns or rows stands in the first, and the others are empty. `<br>` separates the lines
# of a cell. A table whose first row is no head gets an empty head. Items of ordered lists keep
# their numbers, although readers of Markdown count from the first.

_MAX_NUMBER = 999_999_999  # CommonMark's limit of nine digits
_BULLETS, _POINTS = ("-", "*"), (".", ")")
"""Marks of lists; two adjacent lists have different marks, so that they stay two lists."""

_TICKS = re.compile(r"`+")
_IN_ALERT = frozenset([*INLINE_KINDS, "paragraph"])
"""Kinds that may stand on the line after a callout's kind."""


def to_md(document: Document, show: Show = DEFAULT_SHOW, *, page_id: str = "") -> str:
    """Return the content as Markdown; separate comments follow after a rule.

    With `show.front_matter`, the text begins with a YAML header, which has the `page_id`.
    """
    parts, comments = shown_content(document, show)
    text = markdown(parts)
    if document.comments:
        text += ("\n" if text else "") + "---\n\n" + markdown(comments)
    if show.budget:
        text = text.replace("\\[…\\]", LEFT_OUT_MARK)  # no link, since nothing defines one
    if not show.front_matter:
        return text
    from crfclean.metadata.values import front_matter

    return f"{front_matter(document, page_id)}\n{text}"


def markdown(parts: Sequence[Part]) -> str:
    r"""Return the Markdown of parts.

    >>> markdown([Part("heading", ("1 * 2",), {"level": 2})])
    '## 1 \\* 2\n'
    """
    return "".join(line + "\n" for line in _blocks(parts))


def _blocks(parts: Iterable[Part], *, tight: bool = False) -> list[str]:
    """Return the lines of sibling parts, with empty lines between them unless `tight`."""
    lines: list[str] = []
    last_kind, last_turn = "", 0
    for part in parts:
        kind = _list_kind(part)
        turn = 1 - last_turn if kind and kind == last_kind else 0
        part_lines = _WRITE[part.kind](part, turn)
        if not part_lines:
            continue
        if lines and not tight:
            lines.append("")
        lines += part_lines
        last_kind, last_turn = kind, turn
    return lines


def _list_kind(part: Part) -> str:
    """Return the kind of list that a part becomes in Markdown, "" for none."""
    if part.kind == "list":
        return "ordered" if part.facts.get("ordered") else "bullets"
    return "bullets" if part.kind in ("definitions", "footnotes") else ""


def _line(part: Part, _turn: int = 0) -> list[str]:
    text = to_inline(part.children)
    return text.split("\n") if text else []


def _paragraph(part: Part, turn: int) -> list[str]:
    """Return a line; a display formula that stands by itself has lines between its marks."""
    formula = part.children[0] if len(part.children) == 1 else None
    if isinstance(formula, Part) and formula.kind == "formula" and formula.facts.get("display"):
        tex = _tex(formula)
        if tex and not _BLOCK_START.match(tex):
            return ["$$", tex, "$$"]
    return _line(part, turn)


def _heading(part: Part, _turn: int) -> list[str]:
    text = to_inline(part.children, HEADING_LINE)
    return ["#" * part.facts["level"] + " " + text] if text else []


def _code(part: Part, _turn: int) -> list[str]:
    """Return code between fences that are longer than any run of backticks in it."""
    text = "".join(child for child in part.children if isinstance(child, str))
    fence = "`" * max(3, 1 + max(map(len, _TICKS.findall(text)), default=0))
    return [fence + part.facts.get("language", ""), *text.split("\n"), fence]


def _quote(part: Part, _turn: int) -> list[str]:
    """Return a quotation; a callout has its kind on a line, as GitHub and Obsidian read it."""
    kind = part.facts.get("callout")
    if kind:
        lines, part = [f"[!{kind.upper()}]"], _without_kind(part, kind)
        first = next(iter(part.children), "")
        lines += [""] if isinstance(first, Part) and first.kind not in _IN_ALERT else []
    else:
        lines = []
    return [f"> {line}" if line else ">" for line in lines + _mixed(part)]


def _without_kind(part: Part, kind: str) -> Part:
    """Return a callout without a title that only says its kind: "Note"."""
    first = part.children[0] if part.children else ""
    is_title = isinstance(first, Part) and first.kind == "paragraph"
    text = line_text(first.children) if isinstance(first, Part) and is_title else ""
    says_kind = text.casefold().rstrip(":! ") == kind
    return part._replace(children=part.children[1:]) if says_kind else part


def _mixed(part: Part, *, tight: bool = False) -> list[str]:
    """Return the lines of a part that has a line of text, other parts, or both."""
    inline, others = split_inline(part)
    lines = to_inline(inline).split("\n") if inline else []
    return lines + ([""] if lines and others and not tight else []) + _blocks(others, tight=tight)


# lists


def _list(part: Part, turn: int) -> list[str]:
    items = [item for item in part.children if isinstance(item, Part)]
    if not part.facts.get("ordered"):
        return _items((_BULLETS[turn], item) for item in items)
    marks = (f"{_number(item, at)}{_POINTS[turn]}" for at, item in enumerate(items, 1))
    return _items(zip(marks, items, strict=True))


def _number(item: Part, at: int) -> int:
    return max(0, min(_MAX_NUMBER, int(item.facts.get("number", at))))


def _items(items: Iterable[tuple[str, Part]]) -> list[str]:
    """Return items after their marks; if an item has paragraphs, empty lines separate all items."""
    marked = list(items)
    others = (part for _, item in marked for part in split_inline(item)[1])
    tight = all(part.kind in ("list", "definitions") and _interrupts(part) for part in others)
    lines: list[str] = []
    for mark, item in marked:
        item_lines = _mixed(item, tight=tight)
        if item_lines:
            lines += [""] if lines and not tight else []
            lines += indented(f"{mark} {box_of(item)}", item_lines, len(mark) + 1)
    return lines


def _interrupts(part: Part) -> bool:
    """Return whether a list may begin on the line after a text; ordered lists only with 1."""
    if part.kind != "list" or not part.facts.get("ordered"):
        return True
    first = next((item for item in part.children if isinstance(item, Part)), None)
    return first is not None and _number(first, 1) == 1


def _definitions(part: Part, turn: int) -> list[str]:
    """Return terms as items that hold their definitions as a list."""
    groups: list[tuple[list[Part], list[Part]]] = []
    for child in part.children:
        if not isinstance(child, Part):
            continue
        if not groups or (child.kind == "term" and groups[-1][1]):
            groups.append(([], []))
        groups[-1][child.kind != "term"].append(child)
    return _items((_BULLETS[turn], item) for item in chain.from_iterable(map(_terms, groups)))


def _terms(group: tuple[list[Part], list[Part]]) -> Iterator[Part]:
    """Yield the items of terms that share definitions; the last item holds the definitions."""
    terms, definitions = group
    items = [Part("item", part.children, {}, part.node, part.blocks) for part in definitions]
    sublist = (Part("list", tuple(items), {"ordered": False}),) if items else ()
    if not terms:
        yield from items
        return
    for term in terms:
        inner = sublist if term is terms[-1] else ()
        yield Part("item", (*term.children, *inner), {}, term.node, term.blocks)


def _footnotes(part: Part, turn: int) -> list[str]:
    """Return footnotes after their ids, or as items if they have no id."""
    lines: list[str] = []
    for note in part.children:
        note_lines = _mixed(note) if isinstance(note, Part) else []
        if note_lines and isinstance(note, Part):
            lines += [""] if lines else []
            name = note.facts.get("id")
            mark, size = (f"[^{name}]: ", 4) if name else (f"{_BULLETS[turn]} ", 2)
            lines += indented(mark, note_lines, size)
    return lines


def _table(part: Part, _turn: int) -> list[str]:
    """Return a table below its captions."""
    children = [child for child in part.children if isinstance(child, Part)]
    captions = _blocks(child for child in children if child.kind == "caption")
    lines = table_lines([child for child in children if child.kind == "row"])
    return [*captions, "", *lines] if captions and lines else captions + lines


_WRITE: Mapping[str, Callable[[Part, int], list[str]]] = {
    **dict.fromkeys(["caption", "term"], _line),
    "paragraph": _paragraph,
    **dict.fromkeys(
        ["item", "definition", "cell", "row", "footnote", "figure"], lambda part, _: _mixed(part)
    ),
    "heading": _heading,
    "list": _list,
    "definitions": _definitions,
    "table": _table,
    "codeblock": _code,
    "quote": _quote,
    "rule": lambda _part, _turn: ["---"],
    "footnotes": _footnotes,
}
"""Kind of part -> its lines."""
