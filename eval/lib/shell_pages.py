"""Pages of our own making in ten languages: shells without content, and short pages with it."""

from __future__ import annotations

import html
from collections.abc import Iterator

from eval.lib.shell_words import Words

_BUNDLE = f"<script>{'window.parts.push([[1], function (page) { page.start(2); }]);' * 40}</script>"
_FORM = '<form><input name="user"><input type="password" name="password"><button>OK</button></form>'
_NOT_FREE = '<script type="application/ld+json">{"isAccessibleForFree":false}</script>'


def _page(words: Words, body: str, title: str | None = None, head: str = "") -> str:
    title = words.title if title is None else title
    return (
        f'<html lang="{words.lang}"><head><title>{html.escape(title)}</title>{head}</head>'
        f"<body>{body}</body></html>"
    )


def _menu(words: Words) -> str:
    items = "".join(
        f'<li><a href="/{at}">{name}</a>' for at, name in enumerate(words.menu.split("|"))
    )
    return f"<nav><ul>{items}</ul></nav>"


def _article(words: Words, times: int = 1) -> str:
    return f"<h1>{words.title}</h1>" + "".join(f"<p>{text}</p>" for text in words.sentences * times)


def absent_pages(words: Words) -> Iterator[tuple[str, str]]:
    """The reasons why pages of a language have no content, with a page of each."""
    menu, notice = _menu(words), f"<p>{words.consent}</p><button>{words.accept}</button>"
    root, description = '<div id="root"></div>', " ".join(words.sentences)
    meta = f'<meta name="description" content="{html.escape(description)}">'
    teaser = f"<h1>{words.title}</h1><p>{words.sentences[0]}</p>"
    yield "needs-script", _page(words, f"<noscript>{words.script}</noscript>{root}{_BUNDLE}", "App")
    yield "needs-script", _page(words, f"<p>{words.script}</p>{root}{_BUNDLE}", head=meta)
    yield "needs-script", _page(words, f'{menu}<div id="app"><p>{words.loading}</p></div>{_BUNDLE}')
    yield "needs-script", _page(words, f"{menu}<main>{words.loading}</main>{_BUNDLE}", head=meta)
    yield "consent", _page(words, f"{notice}{_BUNDLE}", head=meta)
    yield "consent", _page(words, f"{notice}", "Cookies", '<meta http-equiv="refresh" content="9">')
    yield "paywall", _page(words, f"{menu}{teaser}<div>{words.paywall}</div>", head=_NOT_FREE)
    yield "paywall", _page(words, f"{menu}{teaser}<div>{words.paywall}</div>")
    yield "login", _page(words, f"<h1>{words.login}</h1>{_FORM}<a>{words.forgot}</a>", words.login)
    yield "login", _page(words, f"{menu}<h2>{words.login}</h2>{_FORM}<a>{words.forgot}</a>")
    yield (
        "error-page",
        _page(words, f"{menu}<h1>404</h1><p>{words.missing_text}</p>", words.missing),
    )
    yield "error-page", _page(words, f"<h1>{words.missing}</h1><p>{words.missing_text}</p>", "")
    yield "login", _page(words, f"{menu}{_FORM}<a>{words.forgot}</a><footer>© 2026 Mill</footer>")
    yield "needs-script", _page(words, f"{menu}{root}{menu}", "")
    yield "empty", _page(words, "", "")
    yield from _walls(words)
    yield from _framed(words)


def _walls(words: Words) -> Iterator[tuple[str, str]]:
    """Pages that say in their text that they do not let the reader in."""
    menu, footer, sign_up = _menu(words), "<footer>© 2026 Example</footer>", f"<p>{words.login}</p>"
    yield "login", _page(words, f"{menu}<h1>{words.wall}</h1>{sign_up}{_FORM}{footer}", words.login)
    yield "login", _page(words, f"{menu}<h1>{words.title}</h1><p>{words.wall}</p>{sign_up}")
    yield "login", _page(words, f"<p>{words.wall} {words.login}</p>", "")
    for notice in (words.busy, words.legal):
        name, _, advice = notice.replace(":", ".").partition(".")
        yield "blocked", _page(words, f"<h1>{name}</h1><p>{advice or notice}</p>", name)
        yield "blocked", _page(words, f"{menu}<h1>{name}</h1><p>{notice}</p>{footer}")
        yield "blocked", _page(words, f"{menu}<main><p>{notice}</p></main>{footer}")
    cards = "".join(f"<div><h3>{words.title}</h3><p>{text}</p></div>" for text in words.sentences)
    missing = f"<h1>{words.missing}</h1><p>{words.missing_text}</p>"
    yield "error-page", _page(words, f"{menu}{missing}{cards}{footer}", words.missing)


def _framed(words: Words) -> Iterator[tuple[str, str]]:
    """Pages that show another page."""
    menu, frame = _menu(words), '<iframe src="/plan.html" width="100%" height="900"></iframe>'
    title = f"<head><title>{words.title}</title></head>"
    frames = '<frame src="menu.html"><frame src="text.html">'
    yield "framed", f'<html>{title}<frameset cols="20%,80%">{frames}</frameset></html>'
    yield "framed", _page(words, frame)
    yield "framed", _page(words, f"{menu}<main>{frame}</main><footer>© 2026 Example</footer>")
    yield "framed", _page(words, f"{menu}<h1>{words.title}</h1>{frame}")


def present_pages(words: Words) -> Iterator[str]:
    """Short pages of a language that have their content."""
    menu, article, footer = _menu(words), _article(words), "<footer>© 2026 Example</footer>"
    notice = f"<div><p>{words.consent}</p><button>{words.accept}</button></div>"
    text = " ".join(words.sentences)
    meta = f'<meta name="description" content="{html.escape(words.sentences[0])}">'
    yield _page(words, f"{menu}<main>{article}</main>{footer}", head=meta)
    yield _page(words, article)
    yield _page(words, f"{menu}{notice}<main>{article}</main>{footer}{_BUNDLE}", head=meta)
    yield _page(words, f"{menu}{_FORM}<a>{words.forgot}</a><main>{article}</main>{footer}")
    yield _page(words, f"{menu}<noscript>{words.script}</noscript><main>{article}</main>{_BUNDLE}")
    yield _page(words, f"{menu}<main><h1>{words.title}</h1><p>{text}</p></main>", head=_NOT_FREE)
    yield _page(words, f"{menu}<main>{_article(words, 3)}</main>{notice}{footer}", head=meta)
    yield _page(words, f"<h1>{words.title}</h1><p>{words.sentences[0]}</p>")
    yield _page(words, article, "")
    yield _page(words, f"<p>{words.sentences[1]}</p><p>{words.sentences[2]}</p>", "")
    yield _page(words, f"<h1>{words.title}</h1><p>{words.sentences[3]}</p>", "")
    yield _page(
        words, f"{menu}<main><h1>{words.title}</h1><p>{words.sentences[1]}</p></main>{footer}"
    )
    yield _page(words, f"{menu}<main>{article}<p>{words.comment}</p></main>{footer}")
    yield _page(words, f"{menu}<main>{article}<h2>{words.comment}</h2></main>{footer}")
    start = "".join(f"<p>{text}</p>" for text in words.sentences[:2])
    yield _page(words, f"{menu}<h1>{words.title}</h1>{start}<p>{words.legal}</p>{footer}")
    video = '<iframe src="https://video.example/1" width="560" height="315"></iframe>'
    yield _page(words, f"{menu}<h1>{words.title}</h1>{video}<p>{words.sentences[1]}</p>{footer}")
    yield f"<p>{words.title}</p>"
    yield f"<p>{words.menu.split('|')[0]}</p>"
    yield f"<h1>{words.menu.split('|')[1]}</h1><p>{words.sentences[3]}</p>"
