"""Find what a page shows that is no part of its content: buttons, labels of code, the site's name.

Models keep such blocks where all text around them is kept. Only structured formats leave them out:
`Document.text` has the words of all kept blocks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import numpy as np

from crfclean.page.measures import Measures
from crfclean.page.tree import HEADINGS
from crfclean.structure.code import language_of, named_alike
from crfclean.types import Bools

# a whole block, in the languages of the sites that translate it
_COPY = re.compile(
    r"(?:copy|copied)(?: (?:code|code block|snippet|link|to clipboard))?[!.]?|(?:copy)? ?copied!?|"
    r"(?:code )?(?:kopieren|kopiert)!?|copier(?: le code)?|copié ?!?|copiar(?: código)?|"
    r"¡?copiado!?|copia(?:to)?!?|复制(?:代码)?|已复制|複製|コピー(?:しました)?|복사|(?:с)?копировать|kopírovat",
    re.IGNORECASE,
)
_NOTICE = re.compile(
    r"(?:link )?copied(?: to (?:the )?clipboard)?[!.]?|loading(?: ?\.{3}| ?…)?|"
    r"loading [\w ]{1,30}(?:\.{3}|…)|(?:wird geladen|chargement|cargando|carregando|загрузка|"
    r"加载中|読み込み中)(?: ?\.{3}| ?…)?",
    re.IGNORECASE,
)
_IN_TEXT = (*HEADINGS, *"li dt dd td th caption summary button".split())
_BUTTON = re.compile(r"(?:^|[\s_-])(?:btn|button)(?=\s|$)", re.IGNORECASE)  # `<span class=btn>`
# `<a class=button href=/report.pdf>PDF</a>` in each row of a list of downloads is content
_FILE = re.compile(
    r"\.(?:pdf|docx?|xlsx?|pptx?|od[tsp]|epub|csv|txt|zip|gz|mp[34])(?:$|[?#])", re.IGNORECASE
)
_CRUMBS = re.compile(r"breadcrumb|\bcrumbs\b", re.IGNORECASE)
_TITLE_PART = re.compile(r"\s+[-–—|·•»:]\s+")
_MAX_BESIDE = 3  # blocks of a bar above or below code: a file's name, a language, a button
_MIN_ALIKE, _MAX_WORDS = 3, 4  # buttons of one text on a page, and its words
_MAX_FIRST = 4  # blocks above the title, that may name the site or the way to the page
_MAX_ANCESTORS = 6  # of a breadcrumb


def without_dirt(page: Measures, kept: Bools) -> Bools:
    """Return the kept blocks (n,) without buttons, labels of code, notices and the site's name."""
    clean = kept.copy()
    clean[[*_around_code(page, kept), *_notices(page, kept), *_buttons(page, kept)]] = False
    clean[list(_above_title(page, clean))] = False
    return clean if clean.any() else kept


def left_out(page: Measures) -> Bools:
    """Mark the elements (m,) that only link to an editor, as `[edit]` in the headings of a wiki."""
    which, classes = page.attribute("class")
    edits: Bools = np.array(["mw-editsection" in name.split() for name in classes], np.bool_)[which]
    return edits


def _around_code(page: Measures, kept: Bools) -> Iterator[int]:
    """Yield the blocks beside code that name its language or copy it."""
    in_text = page.inside(*_IN_TEXT, "p")[page.node] > 0
    for node in page.code:
        language = language_of(page.nodes, node)
        first, end = int(page.nodes.first_block[node]), int(page.nodes.end_block[node])
        yield from (at for at in range(first, end) if end - first > 1 and _copies(page, at))
        above = range(first - 1, max(-1, first - 1 - _MAX_BESIDE), -1)
        for block in above:
            names = not in_text[block] and named_alike(page.texts[block], language)
            if not (kept[block] and (names or _copies(page, block))):
                break
            yield block
        for block in range(end, min(len(page), end + _MAX_BESIDE)):
            if not (kept[block] and _copies(page, block)):
                break
            yield block


def _copies(page: Measures, block: int) -> bool:
    return bool(_COPY.fullmatch(page.texts[block]))


def _notices(page: Measures, kept: Bools) -> list[int]:
    """The blocks that say only that something loads or was copied."""
    texts = page.texts
    said = [at for at in np.flatnonzero(kept).tolist() if _NOTICE.fullmatch(texts[at])]
    if not said:
        return []
    in_text, code = page.inside(*_IN_TEXT)[page.node] > 0, set(page.node[said]) & set(page.code)
    return [at for at in said if not in_text[at] and page.node[at] not in code]


def _buttons(page: Measures, kept: Bools) -> list[int]:
    """The blocks of buttons that stand many times on the page, as "Add to cart" in each card.

    A button that opens a panel is its heading, and stays.
    """
    labels = [at for node in _plain_buttons(page) for at in _label(page, node) if kept[at]]
    counts = Counter(page.texts[at] for at in labels)
    often = {text for text, count in counts.items() if count >= _MIN_ALIKE}
    return [at for at in labels if page.texts[at] in often]


def _plain_buttons(page: Measures) -> Iterator[int]:
    """Yield the buttons in no heading that open no panel and lead to no file."""
    which, classes = page.attribute("class")
    named = np.array([bool(_BUTTON.search(name)) for name in classes], np.bool_)[which]
    is_plain = (page.is_tag("button") | named) & (page.inside(*HEADINGS) == 0)
    for node in np.flatnonzero(is_plain).tolist():
        attributes = page.nodes.attributes[node]
        opens = not {"aria-expanded", "aria-controls"}.isdisjoint(attributes)
        if not (opens or _FILE.search(attributes.get("href") or "")):
            yield node


def _label(page: Measures, node: int) -> list[int]:
    """The block of a button, if it is short and does not begin an item."""
    nodes, first = page.nodes, int(page.nodes.first_block[node])
    is_block = nodes.end_block[node] - first == 1 and nodes.tags[page.node[first]] not in HEADINGS
    item = int(page.table.nearest(page.is_tag("li"))[node]) if is_block else -1
    begins = item >= 0 and nodes.first_block[item] == first
    is_short = is_block and len(page.texts[first].split()) <= _MAX_WORDS
    return [first] if is_short and not begins else []


def _above_title(page: Measures, kept: Bools) -> Iterator[int]:
    """Yield the first kept blocks if they are breadcrumbs or the site's name, above a heading.

    The name is the last part of the page's title. The heading below is the first part, or has it
    and the same rank: `<h1>The book</h1>` stands on each page of a book.
    """
    first = np.flatnonzero(kept)[: 1 + _MAX_FIRST].tolist()
    tags = [page.nodes.tags[page.node[block]] for block in first]
    texts = [page.texts[block].casefold() for block in first]
    title, *others = _TITLE_PART.split(page.title.casefold())
    for at, block in enumerate(first):
        below = [other for other in range(at + 1, len(first)) if tags[other] in HEADINGS]
        alike = any(
            texts[other] == title or (tags[other] == tags[at] and title and title in texts[other])
            for other in below
        )
        is_name = alike and texts[at] in others[-1:]
        if not (is_name or (below and tags[at] not in HEADINGS and _is_crumbs(page, block))):
            return
        yield block


def _is_crumbs(page: Measures, block: int) -> bool:
    node = int(page.node[block])
    for _ in range(_MAX_ANCESTORS):
        if node < 0:
            return False
        attributes = page.nodes.attributes[node]
        names = (attributes.get(name) or "" for name in ("class", "id", "aria-label"))
        if _CRUMBS.search(" ".join(names)):
            return True
        node = int(page.nodes.parent[node])
    return False
