"""Split a title that contains the site's name."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import urlsplit

from crfclean.metadata.candidates import MAX_VALUE_CHARS, folded

# "Tea - The Leaf", "Tea | The Leaf", "Tea: a history"; not the hyphen of "tea-time"
_SEPARATOR = re.compile(
    r"(?<!\s)\s++(?:[|‖¦·•»«›‹~/\\]|[-–—]{1,2}|:{1,2}|>|//)\s+"
    r"|(?:(?<!\s)\s++)?(?:\||｜|_(?=[^\W_])|::)\s*|:\s+"
)


_MARK = re.compile(r"[|‖¦·•»«›‹~/\\–—:>｜_-]")  # every separator has one


def title_cuts(text: str) -> list[tuple[str, str, str]]:
    """Leave out a title's last or first part: (way, the part that stays, the part that goes).

    >>> title_cuts("Tea - The Leaf")
    [('head', 'Tea', 'The Leaf'), ('tail', 'The Leaf', 'Tea')]
    """
    text = text[:MAX_VALUE_CHARS]
    cuts = list(_SEPARATOR.finditer(text)) if _MARK.search(text) else []
    if not cuts:
        return []
    parts = []
    for cut in dict.fromkeys((cuts[-1], cuts[0])) if len(cuts) > 1 else cuts:
        head, tail = text[: cut.start()], text[cut.end() :]
        way = "" if len(cuts) == 1 else (" last" if cut is cuts[-1] else " first")
        parts += [("head" + way, head, tail), ("tail" + way, tail, head)]
    return [(way, kept, gone) for way, kept, gone in parts if folded(kept)]


def host_of(address: str) -> str:
    """The host of an address, "" if it has none."""
    try:
        return urlsplit(address[:2_000]).hostname or ""
    except ValueError:
        return ""


def host_names(address: str) -> frozenset[str]:
    """The site's names in an address, letters and digits only.

    >>> sorted(host_names("https://www.the-leaf.co.uk/x"))
    ['theleaf', 'theleafcouk']
    """
    labels = [
        label for label in host_of(address).split(".") if label not in ("www", "m", "blog", "en")
    ]
    count = len(labels)
    while count > 1 and len(labels[count - 1]) <= 3:
        count -= 1
    own = labels[max(0, count - 1) :]
    names = ("".join(filter(str.isalnum, "".join(part))) for part in (own[:1], own))
    return frozenset(filter(None, names))


def is_site(text: str, names: frozenset[str]) -> bool:
    """Return whether a part of a title is one of the site's names, by letters and digits only.

    >>> is_site("The Leaf", frozenset(["theleaf"]))
    True
    """
    joined = folded(text).replace(" ", "")
    return bool(joined) and any(
        joined == name or (len(name) > 3 and name in joined) for name in names
    )


@lru_cache(maxsize=100)  # a page states its title in several places
def variants(text: str, names: frozenset[str]) -> tuple[tuple[str, str], ...]:
    """(way, text) of a title, then of its parts; a way ends in "site" if the site is cut off."""
    parts = (
        (way + (" site" if is_site(gone, names) else ""), kept)
        for way, kept, gone in title_cuts(text)
    )
    return ("", text), *parts
