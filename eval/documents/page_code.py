"""The lines of code of a `pre` element, read independently of crfclean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

NO_TEXT = frozenset(
    "script style template noscript head title textarea select option button iframe object svg "
    "math canvas audio video".split()
)
INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code del dfn em font i img ins kbd label mark nobr q s samp "
    "small span strike strong sub sup time tt u var wbr".split()
)
_LINE = re.compile(r"(?:^|\s|-)line(?:\s|$)")


def code_text(pre: Any, *, named: bool) -> str:
    """The lines of a code block, without blank ones at its ends and white space at theirs."""
    lines = [line.rstrip().expandtabs(4) for line in _lines(pre, named=named).split("\n")]
    while lines and not lines[0]:
        del lines[0]
    while lines and not lines[-1]:
        del lines[-1]
    return "\n".join(lines)


def _lines(pre: Any, *, named: bool) -> str:
    """The text of a code block; `br` and block-level elements part lines.

    So do elements `named` as lines (styles mostly make blocks of them); a line break right behind
    one is its own.
    """
    parts: list[str] = []
    todo: list[tuple[Any, bool]] = [(pre, False)]
    while todo:
        element, left = todo.pop()
        if not isinstance(element.tag, str) or element.tag in NO_TEXT:
            parts.append(element.tail or "")
            continue
        line = element is not pre and (
            element.tag not in INLINE or (named and bool(_LINE.search(element.get("class") or "")))
        )
        if line and element.tag != "br" and not _at_line(parts):
            parts.append("\n")
        if left:
            tail = "" if element is pre else element.tail or ""
            named_line = line and element.tag in INLINE
            parts.append(tail[1:] if named_line and tail.startswith("\n") else tail)
        elif element.tag == "br":
            parts += ["\n", element.tail or ""]
        else:
            parts.append(element.text or "")
            todo.append((element, True))
            todo += [(child, False) for child in reversed(element)]
    return "".join(parts).replace("\u00a0", " ")


def _at_line(parts: Sequence[str]) -> bool:
    last = next((part for part in reversed(parts) if part), "\n")
    return last.endswith("\n")
