"""The platform of a forum: the software that wrote a page, read off its markup."""

from __future__ import annotations

import re

OWN = "own"
"""The platform of a page that no sign fits: a system of the site's own."""

_SIGNS = {
    "XenForo 2": r'<html[^>]*\sid="XF"|class="message message--post',
    "XenForo 1": r'<html[^>]*\sid="XenForo"|class="messageText SelectQuoteContainer',
    "vBulletin 5": r'content="vBulletin 5|class="[^"]*\bb-post__content',
    "vBulletin 4": r'content="vBulletin 4|<html[^>]*\sid="vbulletin_html"|class="postbitlegacy',
    "vBulletin 3": r'content="vBulletin 3|id="post_message_\d+',
    "phpBB 2": r'class="postbody"><hr|href="profile\.php\?mode=viewprofile',
    "phpBB 3": r'<body[^>]*\sid="phpbb"|class="postprofile"',
    "Discourse": r'content="Discourse|class="[^"]*\bcrawler-post',
    "Vanilla": r'<body[^>]*\sid="vanilla_|class="[^"]*\bItemDiscussion|class="MessageList',
    "Invision": r"<body[^>]*class=['\"][^'\"]*\bipsApp|class='ipsComment|class=\"ipsComment",
    "SMF": r"smfFooterHighlight|smf_theme_url|index\.php\?action=profile;u=",
    "MyBB": r'Powered By <a[^>]*mybb\.com|class="author_statistics"',
    "FluxBB": r'id="punwrap"|class="blockpost',
    "inSided": r'class="[^"]*\bqa-topic-post-box',
    "Phorum": r'href="http://www\.phorum\.org/"',
    "Inyoka": r"ubuntuusers\.de/inyoka/",
    "mailing list": r'content="(?:MHonArc|Pipermail|hypermail)|<!--beginarticle-->',
    "questions": r'itemtype="https?://schema\.org/QAPage"',
    "comments": r'class="(?:dsq-|commentlist|comments)\b',
}
"""Signs of each platform, a generator or names in the markup; the first that fits counts."""

_PATTERNS = {name: re.compile(sign) for name, sign in _SIGNS.items()}
_VERSION = re.compile(r" \d+$")


def platform_of(html: str) -> str:
    """The platform that wrote a page.

    >>> platform_of('<html lang="en" id="XF">')
    'XenForo 2'
    """
    return next((name for name, sign in _PATTERNS.items() if sign.search(html)), OWN)


def family_of(html: str, site: str) -> str:
    """The platform without its version, or the site where it has a system of its own.

    >>> family_of('<html id="XF">', "a.example"), family_of("<html>", "a.example")
    ('XenForo', 'a.example')
    """
    name = platform_of(html)
    return site if name == OWN else _VERSION.sub("", name)
