"""Split a title that contains the site's name into the titles that it may stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from crfclean.metadata.candidates import MAX_VALUE_CHARS, folded

# "Tea - The Leaf", "Tea | The Leaf", "Tea: a history"; not the hyphen of "tea-time"
_SEPARATOR = re.compile(
    r"\s+(?:[|‖¦·•»«›‹~/\\]|[-–—]{1,2}|:{1,2}|>|//)\s+|\s*(?:\||｜|_(?=[^\W_])|::)\s*|:\s+"
)


def parts_of(text: str) -> list[tuple[str, str, str]]:
    """Leave out a title's last part, or its first: (way, the part that stays, the part that goes).

    >>> parts_of("Tea - The Leaf")
    [('head', 'Tea', 'The Leaf'), ('tail', 'The Leaf', 'Tea')]
    """
    text = text[:MAX_VALUE_CHARS]
    cuts = list(_SEPARATOR.finditer(text))
    if not cuts:
        return []
    parts = []
    for cut in dict.fromkeys((cuts[-1], cuts[0])) if len(cuts) > 1 else cuts:
        head, tail = text[: cut.start()], text[cut.end() :]
        way = "" if len(cuts) == 1 else (" last" if cut is cuts[-1] else " first")
        parts += [("head" + way, head, tail), ("tail" + way, tail, head)]
    return [(way, kept, gone) for way, kept, gone in parts if folded(kept)]


def host_name(address: str) -> str:
    """The site's name in an address: "theleaf" of `https://www.the-leaf.co.uk/x`."""
    try:
        host = urlsplit(address[:2_000]).hostname or ""
    except ValueError:
        return ""
    labels = [label for label in host.split(".") if label not in ("www", "m", "blog", "en")]
    while len(labels) > 1 and (len(labels[-1]) <= 3 or labels[-1] in _LONG_ENDINGS):
        labels.pop()
    return "".join(filter(str.isalnum, labels[-1])) if labels else ""


_LONG_ENDINGS = frozenset("info online shop news blog tech store site club live".split())


def is_site(text: str, names: frozenset[str]) -> bool:
    """Whether a part of a title is one of the site's names, by letters and digits only.

    >>> is_site("The Leaf", frozenset(["theleaf"]))
    True
    """
    joined = folded(text).replace(" ", "")
    return bool(joined) and any(
        joined == name or (len(name) > 3 and name in joined) for name in names
    )


def variants(text: str, names: frozenset[str]) -> Iterator[tuple[str, str]]:
    """(way, text): the title as it is (""), then its parts; "site" is added if the site goes."""
    yield "", text
    for way, kept, gone in parts_of(text):
        yield way + (" site" if is_site(gone, names) else ""), kept
