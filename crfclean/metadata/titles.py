"""A title with the site's name in it -> the titles that it may stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from crfclean.metadata.candidates import MAX_TEXT, folded

_PARTING = re.compile(
    r"\s+(?:[|‖¦·•»«›‹~/\\]|[-–—]{1,2}|:{1,2}|>|//)\s+|\s*(?:\||｜|_(?=[^\W_])|::)\s*|:\s+"
)


def parts_of(text: str) -> list[tuple[str, str, str]]:
    """The ways of leaving out a title's last part, or its first: (way, what is left, what goes).

    >>> parts_of("Tea - The Leaf")
    [('head', 'Tea', 'The Leaf'), ('tail', 'The Leaf', 'Tea')]
    """
    text = text[:MAX_TEXT]
    cuts = list(_PARTING.finditer(text))
    if not cuts:
        return []
    found = []
    for cut in dict.fromkeys((cuts[-1], cuts[0])) if len(cuts) > 1 else cuts:
        head, tail = text[: cut.start()], text[cut.end() :]
        way = "" if len(cuts) == 1 else (" last" if cut is cuts[-1] else " first")
        found += [("head" + way, head, tail), ("tail" + way, tail, head)]
    return [one for one in found if folded(one[1])]


def host_name(address: str) -> str:
    """The site's own part of an address: `https://www.the-leaf.co.uk/x` -> `theleaf`."""
    try:
        host = urlsplit(address[:2_000]).hostname or ""
    except ValueError:
        return ""
    labels = [one for one in host.split(".") if one not in ("www", "m", "blog", "en")]
    while len(labels) > 1 and (len(labels[-1]) <= 3 or labels[-1] in _LONG_ENDINGS):
        labels.pop()
    return "".join(filter(str.isalnum, labels[-1])) if labels else ""


_LONG_ENDINGS = frozenset("info online shop news blog tech store site club live".split())


def is_site(text: str, names: frozenset[str]) -> bool:
    """Whether a part of a title is one of the site's names, letters alone compared.

    >>> is_site("The Leaf", frozenset(["theleaf"]))
    True
    """
    bare = folded(text).replace(" ", "")
    return bool(bare) and any(bare == name or (len(name) > 3 and name in bare) for name in names)


def variants(text: str, names: frozenset[str]) -> Iterator[tuple[str, str]]:
    """A title whole ("") and in its parts; a way ends in `site` where the site's name goes."""
    yield "", text
    for way, left, gone in parts_of(text):
        yield way + (" site" if is_site(gone, names) else ""), left
