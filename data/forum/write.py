"""threads.json -> the forum pages beside it: `python data/forum/write.py` writes them anew.

Every site has the markup of a kind of forum, described below or in kinds.json (phpBB 2 and 3,
vBulletin 3 to 5, Discourse, XenForo 1 and 2, SMF, MyBB, Invision, Vanilla, Drupal, questions and
answers, comments of newspapers and weblogs, archives of mailing lists, a table without any class),
with signatures, profiles, advertisements between posts, deleted posts, quotes, and teasers of other
threads. The texts are the project's own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
KINDS: dict[str, dict[str, Any]] = json.loads((HERE / "kinds.json").read_text("utf-8"))
"""Kind -> `post`, `quote`, `xpath`, the list `around`, what stands `before`, and marks in the `head`."""
ADVERTS = (
    "Advertisement: winter tyres at half price until Sunday",
    "Ad: learn Esperanto in a week",
)
SINCE = ("10 Jahre 3 Monate", "7 Monate 2 Wochen", "4 Jahre 11 Monate")
SIGNATURES = ("Rust never sleeps.", "Per aspera ad astra", "Sent while it was raining")
WORDS = {
    "cs": ("napsal", "Registrován", "Příspěvky", "Odpovědět", "Příspěvek byl smazán moderátorem."),
    "en": ("wrote", "Join Date", "Posts", "Reply", "This post has been deleted by a moderator."),
    "de": ("schrieb", "Mitglied seit", "Beiträge", "Antworten", "Beitrag vom Moderator gelöscht."),
    "fr": ("a écrit", "Inscrit en", "Messages", "Répondre", "Message supprimé par un modérateur."),
    "pl": ("napisał", "Dołączył", "Postów", "Odpowiedz", "Post usunięty przez moderatora."),
    "ru": ("писал", "Регистрация", "Сообщений", "Ответить", "Сообщение удалено модератором."),
}
Parts = dict[str, str]


QUOTE = "<blockquote><cite>{author} {wrote}:</cite>{text}</blockquote>"
QUOTES = {
    "xenforo1": (
        '<div class="bbCodeBlock bbCodeQuote" data-author="{author}"><aside><div class="attribution '
        'type">{author} {wrote}: <a href="goto/post?id=4100" class="AttributionLink">&uarr;</a></div>'
        '<blockquote class="quoteContainer"><div class="quote">{text}</div></blockquote></aside></div>'
    ),
    "vbulletin4": (
        '<div class="bbcode_container"><div class="bbcode_quote"><div class="quote_container"><div '
        'class="bbcode_quote_container"></div><div class="bbcode_postedby">{author} {wrote}</div><div '
        'class="message">{text}</div></div></div></div>'
    ),
}
"""Quotes of the kinds of forums that write them in another way than `QUOTE`."""


def words_of(site: dict[str, Any]) -> Parts:
    """The words of a site, by their names."""
    names = ("wrote", "joined", "count", "reply", "deleted")
    words = dict(zip(names, WORDS.get(site["lang"], ()), strict=False)) | site.get("words", {})
    return {name: escape(text) for name, text in words.items()}


def parts(number: int, post: list[Any], words: Parts, kind: str) -> Parts:
    """What the templates put into their places."""
    wrote, joined, count, reply = (words[name] for name in ("wrote", "joined", "count", "reply"))
    author, date, lines = post[:3]
    quote = ""
    if len(post) > 3:
        author_quoted, text = escape(post[3]), escape(post[4])
        quote = QUOTES.get(kind, QUOTE).format(author=author_quoted, wrote=wrote, text=text)
    other = len(author)
    return {
        **words,
        "joined_label": joined,
        "count_label": count,
        "number": str(37 * other + number),
        "when_joined": f"{1 + other % 12:02}/{2003 + other}",
        "joined_day": f"{2003 + other}-{1 + other % 12:02}-{1 + 2 * other:02}",
        "since": SINCE[other % 3],
        "parity": ("even", "odd")[number % 2],
        "lines": "\n".join(map(escape, lines)),
        "id": str(4100 + 7 * number),
        "author": escape(author),
        "user": "".join(char for char in author.lower() if char.isalnum()),
        "date": date,
        "quote": quote,
        "br": "<br>\n".join(map(escape, lines)),
        "p": "\n".join(f"<p>{escape(line)}</p>" for line in lines),
        "sign": SIGNATURES[len(author) % 3],
        "joined": f"{joined}: {2003 + len(author)}",
        "count": f"{count}: {37 * len(author) + number}",
        "reply": reply,
        "n": str(number + 1),
        "odd": str(1 + number % 2),
    }


TEMPLATES = {
    "phpbb": (
        '<div id="p{id}" class="post bg{odd}"><div class="inner"><dl class="postprofile" '
        'id="profile{id}"><dt><a href="./memberlist.php?mode=viewprofile&amp;u={id}" '
        'class="username">{author}</a></dt><dd><strong>{count}</strong></dd><dd>{joined}</dd></dl>'
        '<div class="postbody"><h3><a href="#p{id}">Re: {topic}</a></h3><p class="author"><a '
        'href="./viewtopic.php?p={id}#p{id}">#{n}</a> <strong><a class="username">{author}</a>'
        '</strong> &raquo; {date}</p><div class="content">{quote}{br}</div><div class="signature">'
        '{sign}</div></div></div></div>\n<hr class="divider">\n'
    ),
    "vbulletin": (
        '<table class="tborder" id="post{id}"><tr><td class="thead"><div class="normal">#<a '
        'href="showpost.php?p={id}"><strong>{n}</strong></a></div><div class="normal">{date}</div>'
        '</td></tr><tr><td class="alt2"><div id="postmenu_{id}"><a class="bigusername" '
        'href="member.php?u={id}">{author}</a></div><div class="smallfont">Senior Member</div>'
        '<div class="smallfont"><div>{joined}</div><div>{count}</div></div></td></tr><tr><td '
        'class="alt1" id="td_post_{id}"><div id="post_message_{id}">{quote}{br}</div><div '
        'class="sig">{sign}</div></td></tr></table>\n'
    ),
    "discourse": (
        '<div class="topic-body crawler-post"><div class="crawler-post-meta"><span class="creator">'
        '<a href="/u/{user}"><span>{author}</span></a></span> <span class="crawler-post-infos"><time '
        'class="post-time">{date}</time> <span>{n}</span></span></div><div class="post">{quote}{p}'
        '</div><div class="post-likes">{odd} Likes</div></div>\n'
    ),
    "xenforo": (
        '<article class="message message--post" id="js-post-{id}"><div class="message-user"><h4 '
        'class="message-name"><a href="/members/{user}.{id}/" class="username">{author}</a></h4>'
        '<h5 class="userTitle">{count}</h5></div><div class="message-main"><header '
        'class="message-attribution"><a href="/threads/x/post-{id}">{date}</a> <span>#{n}</span>'
        '</header><article class="message-body"><div class="bbWrapper">{quote}{br}</div></article>'
        '<aside class="message-signature"><div class="bbWrapper">{sign}</div></aside><footer><a '
        'href="/posts/{id}/react">{reply}</a></footer></div></article>\n'
    ),
    "xenforo1": (
        '<li id="post-{id}" class="message" data-author="{author}"><div class="messageUserInfo"><div '
        'class="messageUserBlock"><h3 class="userText"><a href="members/{user}.{id}/" '
        'class="username">{author}</a> <em class="userTitle">{count}</em></h3></div></div><div '
        'class="messageInfo primaryContent"><div class="messageContent"><article><blockquote '
        'class="messageText SelectQuoteContainer ugc baseHtml">{quote}{br}<div '
        'class="messageTextEndMarker"></div></blockquote></article></div><div class="baseHtml '
        'signature messageText ugc"><aside>{sign}</aside></div><div class="messageMeta"><div '
        'class="privateControls"><span class="item muted"><a href="members/{user}.{id}/" '
        'class="username author">{author}</a>, <a href="threads/x/#post-{id}" class="datePermalink">'
        '<span class="DateTime">{date}</span></a></span></div><div class="publicControls"><a '
        'href="#post-{id}" class="item muted postNumber">#{n}</a> <a href="?reply={id}" '
        'class="ReplyQuote item control reply">{reply}</a></div></div></div></li>\n'
    ),
    "vbulletin4": (
        '<li class="postbitlegacy postbitim postcontainer" id="post_{id}"><div class="posthead"><span '
        'class="postdate old"><span class="date">{date}</span></span><span class="nodecontrols"><a '
        'href="showthread.php?p={id}#post{id}" class="postcounter">#{n}</a></span></div><div '
        'class="postdetails"><div class="userinfo"><div class="username_container"><a '
        'class="username offline" href="member.php?u={id}"><strong>{author}</strong></a></div><dl '
        'class="userinfo_extra"><dt>{joined}</dt><dd>{count}</dd></dl></div><div class="postbody">'
        '<div class="postrow"><h2 class="title icon">Re: {topic}</h2><div class="content"><div '
        'id="post_message_{id}"><blockquote class="postcontent restore">{quote}{br}</blockquote>'
        '</div></div></div><div class="after_content"><blockquote class="signature restore"><div '
        'class="signaturecontainer">{sign}</div></blockquote></div></div></div><div class="postfoot">'
        '<a class="newreply" href="newreply.php?p={id}">{reply}</a></div></li>\n'
    ),
}
TEMPLATES |= {kind: "".join(parts["post"]) + "\n" for kind, parts in KINDS.items()}
QUOTES |= {kind: "".join(parts["quote"]) for kind, parts in KINDS.items() if "quote" in parts}
LISTS = {
    "xenforo1": 'ol class="messageList"',
    "vbulletin4": 'ol id="posts" class="posts"',
}
"""The list around the posts, with its attributes, of the kinds that have one."""
XPATHS = {
    "phpbb": """comments=//div[starts-with(@class,"post bg")]
text=.//div[@class="content"]
author=.//dt/a[@class="username"]
date=.//p[@class="author"]/text()[last()]""",
    "vbulletin": """comments=//table[@class="tborder"]
text=.//div[starts-with(@id,"post_message_")]
author=.//a[@class="bigusername"]
date=.//td[@class="thead"]/div[2]""",
    "discourse": """comments=//div[starts-with(@class,"topic-body")]
text=.//div[@class="post"]
author=.//span[@class="creator"]
date=.//time""",
    "xenforo": """comments=//article[starts-with(@class,"message message--post")]
text=.//article[@class="message-body"]
author=.//h4
date=.//header/a""",
    "xenforo1": """comments=//li[@class="message"]
text=.//article/blockquote
author=.//h3/a
date=.//span[@class="DateTime"]""",
    "vbulletin4": """comments=//li[starts-with(@class,"postbitlegacy")]
text=.//blockquote[starts-with(@class,"postcontent")]
author=.//a[starts-with(@class,"username")]
date=.//span[@class="date"]""",
}


LISTS |= {kind: parts["around"] for kind, parts in KINDS.items() if "around" in parts}
XPATHS |= {kind: "\n".join(parts["xpath"]) for kind, parts in KINDS.items()}


def body(site: dict[str, Any], page: dict[str, Any]) -> Iterator[str]:
    """The posts of a page, with deleted ones and advertisements between them."""
    kind, words = site["kind"], words_of(site)
    for number, post in enumerate(page["posts"]):
        if post is None:
            yield f'<div class="deleted">{words["deleted"]}</div>\n'
            continue
        filled = parts(number, post, words, kind)
        yield TEMPLATES[kind].format(topic=escape(page["topic"]), **filled)
        if (number + len(page["topic"])) % 3 == 0:
            yield f'<div class="ad">{ADVERTS[number % 2]}</div>\n'


def teasers(site: dict[str, Any]) -> str:
    """Teasers of other threads: title, the beginning of the words, author and date of each."""
    shown = (
        f'<div class="teaser"><h4><a href="/t/{place}">{escape(title)}</a></h4><p class="text">'
        f'{escape(words)}</p><span class="by">{escape(author)}</span> <span class="when">{date}'
        "</span></div>\n"
        for place, (title, words, author, date) in enumerate(site.get("teasers", []), 7)
    )
    return "".join(shown)


def whole(site: dict[str, Any], page: dict[str, Any]) -> str:
    """A page with menu, sidebar and foot."""
    topic, name, lang = escape(page["topic"]), escape(site["name"]), site["lang"]
    posts = "".join(body(site, page))
    if site["kind"] in LISTS:
        around = LISTS[site["kind"]]
        tags = [tag.split()[0] for tag in around.split("><")]
        posts = f"<{around}>\n{posts}{''.join(f'</{tag}>' for tag in reversed(tags))}\n"
    other = KINDS.get(site["kind"], {})
    count = str(len(gold(page)))
    before = "".join(other.get("before", ())).format(
        **{"story": "", **words_of(site), "count_label": words_of(site)["count"], "number": count}
    )
    return (
        f'<!DOCTYPE html>\n<html lang="{lang}">\n<head><meta charset="utf-8"><title>{topic} - {name}'
        f'</title>{other.get("head", "")}</head>\n<body>\n<div class="top"><a href="/">{name}</a> <a href="/search">?</a> '
        f'<a href="/login">Login</a></div>\n<h1>{topic}</h1>\n<div class="pagination">1 2 3</div>\n'
        f'{before}{posts}{teasers(site)}<div class="sidebar"><h3>...</h3><ul><li><a href="/t/1">{ADVERTS[0]}</a></li><li>'
        f'<a href="/t/2">{ADVERTS[1]}</a></li></ul></div>\n<div class="footer">{name} 1999-2024'
        "</div>\n</body>\n</html>\n"
    )


def gold(page: dict[str, Any]) -> list[dict[str, str]]:
    """The posts as annotated: author, date, words with those that are quoted."""
    return [
        {"author": post[0], "date": post[1], "text": "\n".join(post[2])}
        for post in page["posts"]
        if post is not None
    ]


def files(told: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Every file of the sites and its text."""
    for folder, site in told.items():
        yield f"{folder}/posts.xpath", XPATHS[site["kind"]] + "\n"
        for number, page in enumerate(site["pages"], 1):
            yield f"{folder}/{number}.html", whole(site, page)
            text = json.dumps(gold(page), ensure_ascii=False, indent=1) + "\n"
            yield f"{folder}/{number}.posts.json", text


def write(folder: Path) -> None:
    """Write all pages with their gold below a folder."""
    told = json.loads((HERE / "threads.json").read_text("utf-8"))
    for name, text in files(told):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    write(HERE)
