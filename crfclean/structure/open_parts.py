"""A structural element and the parts inside it -> its own part, in a shape that all pages share.

Items stand in lists, cells in rows, rows in tables; a line alone in an item or cell stands in it
directly, as does the first line of an item with nothing but lists behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from crfclean.structure.kinds import HOLDERS, OF_LINES
from crfclean.structure.parts import INLINE_KINDS, Part

_TIGHT = frozenset(["item", "definition", "footnote"])
_LISTS = frozenset(["list", "definitions"])
_BREAK = Part("break")
_WITHOUT_RULES = frozenset(["list", "footnotes", "definitions", "table", "row", *OF_LINES])


@dataclass(slots=True, eq=False)
class Frame:
    """An element that is still open: the part that it becomes, where it ends, what is inside."""

    kind: str
    node: int
    end: int
    facts: Mapping[str, Any] = field(default_factory=dict)
    inside: list[Part] = field(default_factory=list)

    def parts(self) -> list[Part]:
        """The part of a frame that ends; its content alone where it is none after all."""
        ruled = self.inside if self.kind not in _WITHOUT_RULES else _without_rules(self.inside)
        inside = _ruled(_held(ruled, self.kind))
        if not inside and self.kind != "cell":
            return []
        return _SETTLE.get(self.kind, _as_it_is)(self, inside)


def _held(parts: Iterable[Part], kind: str) -> list[Part]:
    """Parts that need a holder in one of their own, unless they stand in one."""
    found: list[Part] = []
    for holder, group in groupby(parts, lambda part: _holder(part, kind)):
        inside = tuple(group)
        if holder == "paragraph":
            found += [replace(part, kind=holder) for part in inside]
        else:
            found += _held([Part(holder, inside)], kind) if holder else inside
    return found


def _holder(part: Part, kind: str) -> str:
    """The kind of part that is missing around a part in another, "" for none.

    A caption of nothing is a paragraph.
    """
    if part.kind == "caption" and kind not in ("figure", "table"):
        return "paragraph"
    holder = HOLDERS.get(part.kind, "")
    return "" if kind in (holder, "footnotes" if holder == "list" else holder) else holder


def _without_rules(parts: Iterable[Part]) -> list[Part]:
    return [part for part in parts if part.kind != "rule"]


def _ruled(parts: list[Part]) -> list[Part]:
    """Parts without the rules that part nothing."""
    found: list[Part] = []
    for part in parts:
        if part.kind != "rule" or (found and found[-1].kind != "rule"):
            found.append(part)
    while found and found[-1].kind == "rule":
        found.pop()
    return found


def _as_it_is(frame: Frame, inside: list[Part]) -> list[Part]:
    return [_made(frame, inside)]


def _made(frame: Frame, inside: list[Part]) -> Part:
    return Part(frame.kind, tuple(inside), frame.facts, frame.node)


def _content(_frame: Frame, inside: list[Part]) -> list[Part]:
    return inside


def _lines(frame: Frame, inside: list[Part]) -> list[Part]:
    """A part that holds lines of text: they are parted by breaks."""
    children: list[Any] = []
    blocks: dict[int, None] = {}
    for line in inside:
        children += [_BREAK, *line.children] if children else line.children
        blocks |= dict.fromkeys(line.blocks)
    return [Part(frame.kind, tuple(children), frame.facts, frame.node, tuple(blocks))]


def _unwrapped(frame: Frame, inside: list[Part]) -> list[Part]:
    """A part of which the first line stands in it, unless there are more paragraphs."""
    first, rest = inside[0], inside[1:]
    loose = rest if frame.kind == "cell" else [one for one in rest if one.kind not in _LISTS]
    if first.kind != "paragraph" or loose:
        return [_made(frame, inside)]
    made = _made(frame, [])
    return [replace(made, children=(*first.children, *rest), blocks=first.blocks)]


def _cell(frame: Frame, inside: list[Part]) -> list[Part]:
    return _unwrapped(frame, inside) if inside else [_made(frame, [])]


def _list(frame: Frame, inside: list[Part]) -> list[Part]:
    """A list of items; what stands between them belongs to the one before."""
    kind = "footnote" if frame.kind == "footnotes" else "item"
    items: list[list[Part]] = []
    firsts: list[Part | None] = []
    for part in inside:
        if part.kind in ("item", "footnote"):
            items.append([])
            firsts.append(part)
        elif not items:
            items.append([part])
            firsts.append(None)
        else:
            items[-1].append(part)
    made = [_item(first, more, kind) for first, more in zip(firsts, items, strict=True)]
    facts = dict(frame.facts)
    if facts.get("ordered"):
        facts["start"] = next((item.facts["number"] for item in made if "number" in item.facts), 1)
    return [replace(_made(frame, made), facts=facts)]


def _item(item: Part | None, more: list[Part], kind: str) -> Part:
    """An item with what stands behind it in the list, or an item of that alone."""
    if item is None:
        return Frame(kind, -1, -1, {}, more).parts()[0]
    item = replace(item, kind=kind)
    return replace(item, children=_blocks_of(item, more)) if more else item


def _blocks_of(item: Part, more: list[Part]) -> tuple[Any, ...]:
    """What is in an item, with more parts behind."""
    lists = all(part.kind in _LISTS for part in more)
    inline = _inline(item.children)
    if lists or not inline:
        return (*item.children, *more)
    rest = item.children[len(inline) :]
    return (Part("paragraph", tuple(inline), {}, item.node, item.blocks), *rest, *more)


def _definitions(frame: Frame, inside: list[Part]) -> list[Part]:
    """A list of terms and definitions; what is neither is a definition."""
    found = []
    for defines, group in groupby(inside, lambda part: part.kind in ("term", "definition")):
        parts = list(group)
        found += parts if defines else Frame("definition", -1, -1, {}, parts).parts()
    return [_made(frame, found)]


def _row(frame: Frame, inside: list[Part]) -> list[Part]:
    """A row of cells; what is none is one."""
    found = []
    for is_cell, group in groupby(inside, lambda part: part.kind == "cell"):
        parts = list(group)
        found += parts if is_cell else Frame("cell", -1, -1, _CELL, parts).parts()
    return [_made(frame, found)]


_CELL: Mapping[str, Any] = {"header": False, "colspan": 1, "rowspan": 1}


def _table(frame: Frame, inside: list[Part]) -> list[Part]:
    """A table of rows, its caption first; what is neither is a row."""
    captions = [part for part in inside if part.kind == "caption"]
    found: list[Part] = []
    for is_row, group in groupby(
        (part for part in inside if part.kind != "caption"), lambda part: part.kind == "row"
    ):
        parts = list(group)
        found += parts if is_row else Frame("row", -1, -1, {}, parts).parts()
    if not found:
        return [replace(part, kind="paragraph") for part in captions]
    return [_made(frame, captions + found)]


def _figure(frame: Frame, inside: list[Part]) -> list[Part]:
    """A figure of images and captions, or of anything with a caption; else its content."""
    images = [_is_image(part) for part in inside]
    captions = [part.kind == "caption" for part in inside]
    if not any(images) and (not any(captions) or all(captions)):
        return _held(inside, "")
    children: list[Any] = []
    leads = True
    for part, image in zip(inside, images, strict=True):
        leads = leads and image
        children += part.children if leads else [part]
    return [replace(_made(frame, []), children=tuple(children))]


def _inline(children: Iterable[Part | str]) -> list[Part | str]:
    return [one for one in children if isinstance(one, str) or one.kind in INLINE_KINDS]


def _is_image(part: Part) -> bool:
    """Whether a paragraph is nothing but images, in links perhaps."""
    return part.kind == "paragraph" and all(
        isinstance(one, Part) and (one.kind == "image" or (one.kind == "link" and _is_images(one)))
        for one in part.children
    )


def _is_images(link: Part) -> bool:
    return all(isinstance(one, Part) and one.kind == "image" for one in link.children)


_SETTLE: Mapping[str, Callable[[Frame, list[Part]], list[Part]]] = {
    **dict.fromkeys(OF_LINES, _lines),
    **dict.fromkeys(_TIGHT, _unwrapped),
    "": _content,
    "cell": _cell,
    "list": _list,
    "footnotes": _list,
    "definitions": _definitions,
    "row": _row,
    "table": _table,
    "figure": _figure,
}
"""Kind -> how its part is made of what is inside; others hold it as it is."""
