"""Words of class and id, roles and tags that tell the purpose of an element: `markup.toml`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from crfclean.io import read_toml

_TABLES = read_toml(Path(__file__).with_name("markup.toml"))

MARKUP: dict[str, str] = _TABLES["markup"]
"""Group -> words of class and id; two successive words also count as one ("main-content")."""

KIND_MARKUP: dict[str, str] = _TABLES["kind_markup"]
"""Kind of block, or the site's name -> words of class and id of elements for it."""

TAGS: dict[str, tuple[str, ...]] = {
    feature: tuple(words.split()) for feature, words in _TABLES["tags"].items()
}
"""Feature -> tags, roles and schema.org properties with the same meaning."""

POST_MARKUP: dict[str, str] = _TABLES["post_markup"]
"""Group -> words of class and id in and around the posts of forums."""

NETWORKS: str = _TABLES["networks"]
"""Names of social networks in texts and hosts."""

NETWORK_HOSTS = (*NETWORKS.split(), *_TABLES["network_hosts"].split())
"""Names of the networks' hosts, some of them short."""

QUOTE_WORDS, SIDEBAR_WORDS = (frozenset(_TABLES[name].split()) for name in ("quotes", "sidebars"))
POST_NAMES = "|".join(_TABLES["post_names"].split())
"""Words in class names of quotes and of sidebars, and in ids of posts."""


@cache
def word_groups() -> dict[str, int]:
    """Return each word with the bits of its groups, in `MARKUP`, then in `KIND_MARKUP`."""
    bits: dict[str, int] = {}
    for place, words in enumerate((*MARKUP.values(), *KIND_MARKUP.values())):
        for word in words.lower().split():
            bits[word] = bits.get(word, 0) | 1 << place
    return bits


@cache
def word_prefixes() -> frozenset[str]:
    """Return all proper prefixes of words; any other word cannot begin a longer one."""
    return frozenset(word[:size] for word in word_groups() for size in range(1, len(word)))


def group_bit(group: str) -> int:
    """Return the bit of a group of `MARKUP` or `KIND_MARKUP` in `word_groups`."""
    return 1 << [*MARKUP, *KIND_MARKUP].index(group)
