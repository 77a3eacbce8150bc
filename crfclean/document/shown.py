"""Remove the parts that are switched off."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from crfclean.document.parts import INLINE_KINDS, Content, Part, Show

FORMATTING = frozenset(
    "emphasis strong code deleted inserted marked subscript superscript ruby".split()
)
_CHILDLESS = frozenset(["image", "break", "rule", "cell", "reading"])


def filter_parts(parts: Sequence[Part], show: Show) -> tuple[Part, ...]:
    """Return the parts that are switched on, without those that become empty."""
    switches = {
        "image": show.images,
        "table": show.tables,
        "heading": show.headings,
        "reading": show.formatting,
    }
    removed = frozenset(kind for kind, is_on in switches.items() if not is_on)
    unwrapped = (FORMATTING if not show.formatting else frozenset()) | (
        frozenset(["link"]) if not show.links else frozenset()
    )
    if not removed and not unwrapped:
        return tuple(parts)
    children = _children(parts, removed, unwrapped)
    return tuple(part for part in children if isinstance(part, Part))


def _children(
    children: Iterable[Content], removed: frozenset[str], unwrapped: frozenset[str]
) -> list[Content]:
    remaining: list[Content] = []
    for child in children:
        if isinstance(child, str):
            remaining.append(child)
        elif child.kind not in removed:
            remaining += _remainder(child, removed, unwrapped)
    return remaining


def _remainder(part: Part, removed: frozenset[str], unwrapped: frozenset[str]) -> list[Content]:
    """Return what remains of a part: the part, its children or nothing."""
    children = _children(part.children, removed, unwrapped)
    if part.kind in unwrapped:
        return children
    if part.kind == "figure" and all(map(_is_caption, children)):
        return _paragraphs(children)
    if part.kind != "codeblock":
        children = _fold(children, keep_ends=part.kind in INLINE_KINDS)
    if not children and part.kind not in _CHILDLESS:
        return []
    if part.kind == "table" and all(map(_is_caption, children)):
        return _paragraphs(children)
    return [part._replace(children=tuple(children))]


def _is_caption(child: Content) -> bool:
    return isinstance(child, Part) and child.kind == "caption"


def _paragraphs(captions: Iterable[Content]) -> list[Content]:
    """The captions of nothing, as paragraphs."""
    return [part._replace(kind="paragraph") for part in captions if isinstance(part, Part)]


def _fold(children: Sequence[Content], *, keep_ends: bool) -> list[Content]:
    """Join texts that touch, with single spaces between words and breaks only between texts.

    `a <img> b` without the image is `a b`; spaces at the ends stay if `keep_ends`.
    """
    folded: list[Content] = []
    for child in children:
        after_space = not folded or (isinstance(folded[-1], str) and folded[-1].endswith(" "))
        after_space |= bool(folded) and _is_break(folded[-1])
        if isinstance(child, str):
            text = child[1:] if child.startswith(" ") and after_space and not keep_ends else child
            text = text[1:] if text.startswith(" ") and after_space and folded else text
            if folded and isinstance(folded[-1], str):
                folded[-1] += text
            elif text:
                folded.append(text)
        elif not (_is_break(child) and (not folded or _is_break(folded[-1]))):
            folded.append(child)
    while not keep_ends and folded and (_is_break(folded[-1]) or folded[-1] == " "):
        folded.pop()
    if not keep_ends and folded and isinstance(folded[-1], str):
        folded[-1] = folded[-1].rstrip(" ")
    return folded


def _is_break(child: Content) -> bool:
    return isinstance(child, Part) and child.kind == "break"
