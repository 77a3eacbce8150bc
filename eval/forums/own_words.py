"""Own words of annotated posts: gold without quotes, by names of elements read off each forum.

The annotation of web-forum-52 has the words of a post with all it quotes. The elements that hold
quotes were read off the pages of each site by eye, for measuring alone; the reader of posts does
not see this table.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from crfclean.forum.learn import ForumExample
from crfclean.forum.outline import Outline
from crfclean.forum.pairing import GoldPost, folded_words, matches
from crfclean.types import Bools

_VANILLA, _XENFORO_2 = r"blockquote\..*Quote", r"blockquote\..*bbCodeBlock--quote"
SITES = {
    "bbs.archlinux.org": ("FluxBB", r"div\.quotebox"),
    "blog.angelman-asa.org": ("WordPress", "blockquote"),
    "bpdfamily.com": ("SMF", r"div\.quote(?:header|footer)?$"),
    "community.bitdefender.com": ("Invision", r"blockquote\.ipsQuote"),
    "community.kaspersky.com": ("inSided", r"\w+\.(?:content-)?quote"),
    "community.scope.org.uk": ("Vanilla", _VANILLA),
    "forum.digitalfernsehen.de": ("XenForo 1", r"div\..*bbCodeQuote"),
    "forum.ebaumsworld.com": ("phpBB", "blockquote"),
    "forum.glamour.de": ("Discourse", r"aside\..*quote"),
    "forum.mein-schoener-garten.de": ("phpBB", "blockquote"),
    "forum.ubuntuusers.de": ("Inyoka", r"blockquote|a\.crosslink\.(?:user|post)$"),
    "forum.utorrent.com": ("Invision", r"blockquote\.ipsQuote"),
    "forum.videolan.org": ("phpBB", "blockquote"),
    "forum.wordreference.com": ("XenForo 2", _XENFORO_2),
    "forum.worldofplayers.de": ("vBulletin 4", r"div\.bbcode_quote"),
    "forums.futura-sciences.com": ("vBulletin 4", r"div\.bbcode_quote"),
    "forums.macrumors.com": ("XenForo 2", _XENFORO_2),
    "forums.moneysavingexpert.com": ("Vanilla", _VANILLA),
    "healthunlocked.com": ("own", "blockquote"),
    "kiwifarms.net": ("XenForo 2", _XENFORO_2),
    "skyscraperpage.com": ("vBulletin 3", r"td\.alt#$|div\.smallfont$"),
    "talk.collegeconfidential.com": ("Vanilla", _VANILLA),
    "uhrforum.de": ("XenForo 2", _XENFORO_2),
    "www.airliners.net": ("phpBB", "blockquote"),
    "www.amsel.de": ("own", "blockquote"),
    "www.android-hilfe.de": ("XenForo 2", _XENFORO_2),
    "www.computerbase.de": ("XenForo 2", _XENFORO_2),
    "www.fanfiction.net": ("own", "blockquote"),
    "www.juraforum.de": ("XenForo 1", r"div\..*bbCodeQuote"),
    "www.msconnection.org": ("own", "blockquote"),
    "www.nairaland.com": ("own", "blockquote"),
    "www.neowin.net": ("Invision", r"blockquote\.ipsQuote"),
}
"""Platform of each site, and the pattern of the names of elements that hold quotes there."""


def platform(site: str) -> str:
    """The platform of a site, "own" for one that no other site of the set has."""
    return SITES[site][0] if site in SITES else "own"


def own_words(example: ForumExample, posts: Sequence[GoldPost]) -> dict[int, str]:
    """Folded words without quotes of the annotated posts with an element of their own, by place."""
    page, site = example.page, example.site
    group = example.groups[int(example.fits.argmax())]
    bodies = [folded_words(page.text(node)) for node in group.nodes]
    pairs = matches(bodies, [folded_words(post.text) for post in posts])
    quoted = _quoted(page, re.compile(SITES[site][1] if site in SITES else "blockquote"))
    without_quotes = {}
    for body, place in pairs.items():
        node = group.nodes[body]
        lines = page.lines(int(page.first[node]), int(page.last[node]), quoted)
        without_quotes[place] = folded_words(" ".join(lines))
    return without_quotes


def _quoted(page: Outline, pattern: re.Pattern[str]) -> Bools:
    """Whether each run stands in an element whose own name the pattern matches, shape (runs,)."""
    marks = np.zeros(len(page.page.runs.texts) + 1, np.int64)
    for node, name in enumerate(page.names):
        if pattern.match(name.rpartition(">")[2]):
            marks[page.first[node]] += 1
            marks[page.last[node]] -= 1
    return np.cumsum(marks)[:-1] > 0
