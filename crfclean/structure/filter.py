"""Parts + what is to be shown -> parts without what is not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from crfclean.structure.parts import INLINE_KINDS, Content, Part, Show

FORMATTING = frozenset("emphasis strong code deleted inserted marked subscript superscript".split())
_CHILDLESS = frozenset(["image", "break", "rule", "cell"])


def shown(parts: Sequence[Part], show: Show) -> tuple[Part, ...]:
    """The parts that a writer writes; those that are left empty go, too."""
    without = {
        "image": not show.images,
        "table": not show.tables,
        "heading": not show.headings,
    }
    bare = (FORMATTING if not show.formatting else frozenset()) | (
        frozenset(["link"]) if not show.links else frozenset()
    )
    gone = frozenset(kind for kind, left_out in without.items() if left_out)
    if not gone and not bare:
        return tuple(parts)
    found = _children(parts, gone, bare)
    return tuple(part for part in found if isinstance(part, Part))


def _children(
    children: Iterable[Content], gone: frozenset[str], bare: frozenset[str]
) -> list[Content]:
    found: list[Content] = []
    for child in children:
        if isinstance(child, str):
            found.append(child)
        elif child.kind not in gone:
            found += _one(child, gone, bare)
    return found


def _one(part: Part, gone: frozenset[str], bare: frozenset[str]) -> list[Content]:
    """A part as it is shown: itself, what is in it, or nothing."""
    inside = _children(part.children, gone, bare)
    if part.kind in bare:
        return inside
    if part.kind == "figure" and all(_is_caption(one) for one in inside):
        return [replace(one, kind="paragraph") for one in inside if isinstance(one, Part)]
    if part.kind != "codeblock":
        inside = _folded(inside, ends=part.kind in INLINE_KINDS)
    if not inside and part.kind not in _CHILDLESS:
        return []
    if part.kind == "table" and all(_is_caption(one) for one in inside):
        return [replace(one, kind="paragraph") for one in inside if isinstance(one, Part)]
    return [replace(part, children=tuple(inside))]


def _is_caption(one: Content) -> bool:
    return isinstance(one, Part) and one.kind == "caption"


def _folded(children: Sequence[Content], *, ends: bool) -> list[Content]:
    """Texts that touch as one, with single spaces between words; breaks between texts alone."""
    found: list[Content] = []
    for child in children:
        after_space = not found or (isinstance(found[-1], str) and found[-1].endswith(" "))
        after_space |= bool(found) and _is_break(found[-1])
        if isinstance(child, str):
            text = child[1:] if child.startswith(" ") and after_space and not ends else child
            text = text[1:] if text.startswith(" ") and after_space and found else text
            if found and isinstance(found[-1], str):
                found[-1] += text
            elif text:
                found.append(text)
        elif not (_is_break(child) and (not found or _is_break(found[-1]))):
            found.append(child)
    while not ends and found and (_is_break(found[-1]) or found[-1] == " "):
        found.pop()
    if not ends and found and isinstance(found[-1], str):
        found[-1] = found[-1].rstrip(" ")
    return found


def _is_break(one: Content) -> bool:
    return isinstance(one, Part) and one.kind == "break"
