"""Tell pictures that are buttons, banners or counters from the pictures of a text."""

from __future__ import annotations

import re
from itertools import groupby
from typing import NamedTuple

import numpy as np

from crfclean.core.table import Table
from crfclean.lexicon.markup import NETWORKS
from crfclean.page.chars import in_classes
from crfclean.page.elements import held
from crfclean.page.head import media_source
from crfclean.types import Blocks, Bools

_MOST_AROUND = 60  # characters in the box of a bar of buttons or a banner, with its labels
_MIN_BUTTONS = 3  # for different networks, beside each other
_MAX_BUTTON = 150  # pixels of its width

_SHARE_NAMES = ("share", "sharing", "social", "sns", "follow", "addtoany", "addthis", "bookmark")
_SHARE = re.compile(
    rf"(?<![a-z])(?:{'|'.join(_SHARE_NAMES)})(?:s|[-_]?\w*(?:bar|box|buttons?|icons?|links?|list))?"
    r"(?![a-z])",
    re.IGNORECASE,
)
_AD_NAMES = ("ad", "banner", "sponsor", "werbung", "reklama", "anzeige")
_AD = re.compile(
    r"(?<![a-z0-9])(?:ads?(?![0-9])|adverts?|advertisement|banners?|sponsor(?:s|ed)?|werbung|reklama"
    r"|anzeige)(?![a-z])",
    re.IGNORECASE,
)
# `/ico_facebook.gif`, alt="Tweet", `https://twitter.com/intent/tweet?url=`
_NETWORK = re.compile(
    rf"(?<![a-z])(?:{'|'.join(NETWORKS.split())}|share|tweet|bookmark|delicious|digg|stumbleupon|"
    r"naver|me2day|kakao\w*|weibo|wechat|qzone|hatena|rss|google\+?(?:plus)?|e?-?mail)(?![a-z])",
    re.IGNORECASE,
)
_COUNTER = re.compile(
    r"(?:^|/)(?:pixel|counter|hits?|spacer|blank|transparent|beacon|tracker|tracking|webbug|1x1)"
    r"\.(?:gif|png|php|cgi|svg|aspx?)(?:$|[?#])|[._-](?:pixel|spacer)\.gif(?:$|[?#])|"
    r"scorecardresearch|statcounter",
    re.IGNORECASE,
)
_SHARES = re.compile(r"url=|share|\Ajavascript:|\A#?\Z", re.IGNORECASE)  # address of a button
_PICTURE_FILE = re.compile(r"\.(?:jpe?g|png|gif|webp|avif|svg)(?:$|[?#])", re.IGNORECASE)
_BANNERS = frozenset(
    [(728, 90), (468, 60), (234, 60), (120, 600), (160, 600), (970, 90), (970, 250), (320, 50)]
)
"""Widths and heights of banners, as the IAB names them; a picture of a text rarely has one."""


class _Picture(NamedTuple):
    """A picture with the link around it, -1 for none, if it has no words."""

    node: int
    link: int
    source: str
    alt: str


def decoration(page: Blocks, media: list[int]) -> frozenset[int]:
    """Return those of the pictures (elements) that are no pictures of a text.

    They count views, or are banners or buttons of networks, by their own names, by the box around
    them, or by the pictures beside them.
    """
    table, links = page.table, _bare_links(page.table)
    pictures = [
        _Picture(node, int(links[node]), media_source(table, node), _alt(table, node))
        for node in media
        if table.tags[node] == "img"
    ]
    bars = _boxes(page, _SHARE, _SHARE_NAMES)
    found = {one.node for one in pictures if _COUNTER.search(one.source)}
    found |= {one.node for one in pictures if bars[one.node] and not _is_large(table, one)}
    ads = _boxes(page, _AD, _AD_NAMES)
    linked = (one for one in pictures if one.link >= 0 and not _enlarges(table, one))
    found |= {one.node for one in linked if ads[one.node] or _is_banner(table, one)}
    for _, beside in groupby(pictures, lambda one: int(table.first_block[one.node])):
        found |= _buttons(table, list(beside))
    return frozenset(found)


def _alt(table: Table, node: int) -> str:
    return table.attributes[node].get("alt") or ""


def _bare_links(table: Table) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the nearest link around each element if it has no words, else -1, (m,)."""
    words = [run for run, text in enumerate(table.run_texts) if not text.isspace()]
    before = np.searchsorted(table.run_after[words], np.arange(len(table.parent) + 1), "right")
    is_link = table.is_tag("a")
    links = np.asarray(table.nearest(is_link), np.int64)
    has_words = before[table.end] > before[:-1]
    return np.where((links >= 0) & ~has_words[np.maximum(links, 0)], links, -1)


def _boxes(page: Blocks, pattern: re.Pattern[str], parts: tuple[str, ...]) -> Bools:
    """Mark the elements in boxes of some class with little text, (m,)."""
    table = page.table
    named = in_classes(table, pattern, parts) & (held(page, page.chars) <= _MOST_AROUND)
    inside: Bools = table.nearest(named) >= 0
    return inside


def _width_height(table: Table, node: int) -> tuple[int, int]:
    """Return the size that the attributes of a picture state, 0 for none."""
    values = (table.attributes[node].get(name) or "" for name in ("width", "height"))
    sizes = [value.removesuffix("px")[:5] for value in values]
    width, height = (int(size) if size.isascii() and size.isdecimal() else 0 for size in sizes)
    return width, height


def _is_large(table: Table, picture: _Picture) -> bool:
    return _width_height(table, picture.node)[0] > _MAX_BUTTON


def _enlarges(table: Table, picture: _Picture) -> bool:
    """Return whether a picture links to a picture."""
    return bool(_PICTURE_FILE.search(_address(table, picture)))


def _address(table: Table, picture: _Picture) -> str:
    """Return the address of the link around a picture, "" for none."""
    return (table.attributes[picture.link].get("href") or "") if picture.link >= 0 else ""


def _is_banner(table: Table, picture: _Picture) -> bool:
    """Return whether a linked picture has the size of a banner, or is named so."""
    is_named = bool(_AD.search(_file_name(picture))) and not picture.alt
    return is_named or _width_height(table, picture.node) in _BANNERS


def _file_name(picture: _Picture) -> str:
    return picture.source.partition("?")[0].rpartition("/")[2]


def _buttons(table: Table, beside: list[_Picture]) -> set[int]:
    """Return the buttons among pictures without text between them, if most name networks."""
    names = [_network(table, one) for one in beside]
    if len({*names} - {""}) < _MIN_BUTTONS or 2 * names.count("") >= len(names):
        return set()
    return {
        one.node
        for one, name in zip(beside, names, strict=True)
        if name or (one.link >= 0 and _SHARES.search(_address(table, one)))
    }


def _network(table: Table, picture: _Picture) -> str:
    """Return the network that a small picture or its link names, "" for none."""
    texts = (picture.alt, _file_name(picture), _address(table, picture))
    matches = map(_NETWORK.search, () if _is_large(table, picture) else texts)
    return next((match[0].lower() for match in matches if match), "")
