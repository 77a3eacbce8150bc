"""Own words of annotated posts: gold without quotes, by names of elements read off each forum.

The annotation of web-forum-52 has the words of a post with all it quotes. The elements that hold
quotes were read off the pages of each site by eye, for measuring alone; the reader of posts does
not see this table.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from crfclean.products.forum.outline import Outline, folded_words
from crfclean.types import Bools
from eval.forums.training import ForumExample, GoldPost, matches

_VANILLA, _XENFORO_2 = r"blockquote\..*Quote", r"blockquote\..*bbCodeBlock--quote"
SITES = {
    "bbs.archlinux.org": r"div\.quotebox",
    "blog.angelman-asa.org": "blockquote",
    "bpdfamily.com": r"div\.quote(?:header|footer)?$",
    "community.bitdefender.com": r"blockquote\.ipsQuote",
    "community.kaspersky.com": r"\w+\.(?:content-)?quote",
    "community.scope.org.uk": _VANILLA,
    "forum.digitalfernsehen.de": r"div\..*bbCodeQuote",
    "forum.ebaumsworld.com": "blockquote",
    "forum.glamour.de": r"aside\..*quote",
    "forum.mein-schoener-garten.de": "blockquote",
    "forum.ubuntuusers.de": r"blockquote|a\.crosslink\.(?:user|post)$",
    "forum.utorrent.com": r"blockquote\.ipsQuote",
    "forum.videolan.org": "blockquote",
    "forum.wordreference.com": _XENFORO_2,
    "forum.worldofplayers.de": r"div\.bbcode_quote",
    "forums.futura-sciences.com": r"div\.bbcode_quote",
    "forums.macrumors.com": _XENFORO_2,
    "forums.moneysavingexpert.com": _VANILLA,
    "healthunlocked.com": "blockquote",
    "kiwifarms.net": _XENFORO_2,
    "skyscraperpage.com": r"td\.alt#$|div\.smallfont$",
    "talk.collegeconfidential.com": _VANILLA,
    "uhrforum.de": _XENFORO_2,
    "www.airliners.net": "blockquote",
    "www.amsel.de": "blockquote",
    "www.android-hilfe.de": _XENFORO_2,
    "www.computerbase.de": _XENFORO_2,
    "www.fanfiction.net": "blockquote",
    "www.juraforum.de": r"div\..*bbCodeQuote",
    "www.msconnection.org": "blockquote",
    "www.nairaland.com": "blockquote",
    "www.neowin.net": r"blockquote\.ipsQuote",
}
"""The pattern of the names of elements that hold quotes, by site."""


def own_words(example: ForumExample, posts: Sequence[GoldPost]) -> dict[int, str]:
    """Folded words without quotes of the annotated posts with an element of their own, by place."""
    page, site = example.page, example.site
    group = example.groups[int(example.fits.argmax())]
    bodies = [folded_words(page.text(node)) for node in group.nodes]
    pairs = matches(bodies, [folded_words(post.text) for post in posts])
    quoted = _quoted(page, re.compile(SITES.get(site, "blockquote")))
    without_quotes = {}
    for body, place in pairs.items():
        node = group.nodes[body]
        lines = page.lines(int(page.first[node]), int(page.last[node]), quoted)
        without_quotes[place] = folded_words(" ".join(lines))
    return without_quotes


def _quoted(outline: Outline, pattern: re.Pattern[str]) -> Bools:
    """Whether each run stands in an element whose own name the pattern matches, shape (runs,)."""
    marks = np.zeros(len(outline.page.table.run_texts) + 1, np.int64)
    for node, name in enumerate(outline.names):
        if pattern.match(name.rpartition(">")[2]):
            marks[outline.first[node]] += 1
            marks[outline.last[node]] -= 1
    return np.cumsum(marks)[:-1] > 0
