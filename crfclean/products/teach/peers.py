"""Other systems as their manuals show (extra `peers`), for comparison."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from importlib.metadata import PackageNotFoundError, version

import lxml.html
import numpy as np
from lxml import etree

from crfclean.metadata.language import MAX_TEXT_CHARS, identify, judge
from crfclean.metadata.language_claims import claims
from crfclean.metadata.language_tags import language_of
from crfclean.page.blocks import split
from crfclean.parallel import in_time
from crfclean.products.teach.cleaning import Cleaned, CleaningSystem
from crfclean.products.teach.gold import GoldPage
from crfclean.types import CrfcleanError, Document, Label, Tags, how_to_install

MAX_PAGE_SECONDS = 60  # a page: jusText is quadratic in the paragraphs

STOP_LISTS = {
    "ar": "Arabic", "cs": "Czech", "de": "German", "el": "Greek", "en": "English",
    "es": "Spanish", "fr": "French", "id": "Indonesian", "pl": "Polish", "ru": "Russian",
    "sk": "Slovak",
}  # fmt: skip
"""Code of a language -> jusText's list."""

_BLOCK_TAGS = frozenset(
    """
    address article aside blockquote body br caption center dd details dir div dl dt fieldset
    figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary
    table tbody td tfoot th thead tr ul
""".split()
)
_BREAK = "\N{PARAGRAPH SEPARATOR}"

for _noisy in ("readability", "trafilatura"):
    logging.getLogger(_noisy).setLevel(logging.CRITICAL + 1)


def by_trafilatura(html: str, _lang: str = "") -> str:
    """The text of `trafilatura.extract` with its defaults."""
    import trafilatura

    return trafilatura.extract(html) or ""


def by_resiliparse(html: str, _lang: str = "") -> str:
    """The text of resiliparse's main content extraction."""
    from resiliparse.extract.html2text import extract_plain_text

    return str(extract_plain_text(html, main_content=True) or "")


@lru_cache(maxsize=len(STOP_LISTS))
def stop_words(lang: str) -> frozenset[str]:
    """Return jusText's stop list for a language: English for "", empty if it has none."""
    import justext

    name = STOP_LISTS.get(lang or "en")
    return justext.get_stoplist(name) if name else frozenset()


def by_justext(html: str, lang: str = "") -> str:
    """The good paragraphs of jusText, a line each."""
    import justext

    words = stop_words(lang)
    shares = {} if words else {"stopwords_low": 0.0, "stopwords_high": 0.0}
    paragraphs = justext.justext(html, words, **shares)
    return "\n".join(paragraph.text for paragraph in paragraphs if not paragraph.is_boilerplate)


def by_readability(html: str, _lang: str = "") -> str:
    """The text of readability-lxml's summary, a line for each block."""
    import readability

    return block_text(readability.Document(html).summary())


def block_text(html: str) -> str:
    """Return all text of an HTML document, a line for each block.

    >>> block_text("<div>One <b>a</b>nd<!--no--><p>two, three<br>four</div>five").splitlines()
    ['One and', 'two, three', 'four', 'five']
    """
    parts = []
    tree = lxml.html.document_fromstring(html)
    for event, element in etree.iterwalk(tree, events=("start", "end", "comment", "pi")):
        if element.tag in _BLOCK_TAGS:
            parts.append(_BREAK)
        parts.append((element.text if event == "start" else element.tail) or "")
    lines = (" ".join(line.split()) for line in "".join(parts).split(_BREAK))
    return "\n".join(line for line in lines if line)


EXTRACTIONS: Mapping[str, Callable[[str, str], str]] = {
    "trafilatura": by_trafilatura,
    "resiliparse": by_resiliparse,
    "justext": by_justext,
    "readability-lxml": by_readability,
}
"""Name of a distribution -> its extraction, which may raise or hang."""


def extract_guarded(name: str, html: str, lang: str = "") -> tuple[str, str]:
    """A peer's text of a page, and "ok" or why it is empty (see `guarded`)."""
    return guarded(lambda: EXTRACTIONS[name](html, lang))


def guarded(work: Callable[[], str]) -> tuple[str, str]:
    """Return a text and "ok", or no text and the exception's name, "OutOfTime" for a long time."""

    def result() -> tuple[str, str]:
        try:
            return work(), "ok"
        except Exception as error:  # noqa: BLE001 - a foreign library may raise anything
            return "", type(error).__name__

    return in_time(MAX_PAGE_SECONDS, result, lambda: ("", "OutOfTime"))


USE_LANGUAGE = frozenset(["justext"])
"""Systems that need the page's language."""


def guess_language(gold: GoldPage) -> str:
    """Identify a page's language by its longest blocks and its claims, without its gold.

    Return the code of the language, "" without evidence.
    """
    blocks = split(gold.page)
    labels = np.full(len(blocks), Label.OTHER, np.int32)
    document = Document(None, blocks, Tags(labels, np.zeros((len(blocks), len(Label))), 0.0))
    text = "\n".join(sorted(blocks.texts, key=len, reverse=True))[:MAX_TEXT_CHARS]
    value = judge(identify(text), len(text), claims(document))
    return "" if value is None else language_of(value.text)


def system(name: str) -> CleaningSystem:
    """A peer by its name; raises `CrfcleanError` for an unknown or uninstalled one."""
    if name not in EXTRACTIONS:
        raise CrfcleanError(f"no system {name!r}; there are {', '.join(EXTRACTIONS)}")
    try:
        version(name)
    except PackageNotFoundError as error:
        raise CrfcleanError(
            f"{name} is not installed: pip install {name}, or all peers: {how_to_install('peers')}"
        ) from error
    return partial(_cleaned, name)


def _cleaned(name: str, gold: GoldPage) -> Cleaned:
    lang = gold.lang or (guess_language(gold) if name in USE_LANGUAGE else "")
    return Cleaned(*extract_guarded(name, gold.page.html, lang))
