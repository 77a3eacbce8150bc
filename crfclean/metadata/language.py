"""Determine the language of a document from the words of its text and from the page's claims."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from crfclean.io import read_toml
from crfclean.lexicon import lexicon
from crfclean.page.chars import code_points
from crfclean.page.head import in_head
from crfclean.types import Blocks, Document, Ints, Value

# identify the language of a text by the commonest words of each language

_MAX_WORDS = 400  # of a text that are read
_STEP = math.log(16.0)  # log odds of a language for a word that only this language has
_UNKNOWN = 0.5  # score of a language without a list, in such words
_MARKS = ".,;:!?…()[]\"'«»„“”‘’।،؟؛-–—"  # around words


@cache
def _weights() -> Mapping[str, Mapping[str, float]]:
    """Map each language to its words with their weights, 1 / sqrt(languages with the word)."""
    languages = lexicon().function_words
    shared = Counter(word for words in languages.values() for word in set(words))
    return {
        name: {word: 1.0 / math.sqrt(shared[word]) for word in words}
        for name, words in languages.items()
    }


def by_words(text: str, languages: Sequence[str]) -> Mapping[str, float]:
    """Map each of some languages to its probability by the words of a text; they sum to 1.

    Beyond eight words, the evidence grows only with the square root of their number, since the
    words of a text are not independent.

    >>> shares = by_words("Mladá paní se na to dívala jako by nebyla doma", ("en", "cs", "sk"))
    >>> max(shares, key=lambda name: shares[name])
    'cs'
    """
    words = Counter(map(str.strip, text.lower().split()[:_MAX_WORDS], repeat(_MARKS)))
    scale = _STEP / max(1.0, math.sqrt(words.total() / 8))
    scores = {name: _score(name, words) * scale for name in languages}
    best = max(scores.values(), default=0.0)
    factors = {name: math.exp(score - best) for name, score in scores.items()}
    total = sum(factors.values())
    return {name: factor / total for name, factor in factors.items()}


def _score(name: str, words: Mapping[str, int]) -> float:
    """Return the sum of the weights of a language's words in a text."""
    known = _weights().get(name)
    if known is None:
        return _UNKNOWN
    return sum(weight * words[word] for word, weight in known.items() if word in words)


# identify the script of a text, and list the languages written in it

_TABLES: Mapping[str, Any] = read_toml(Path(__file__).with_name("languages.toml"))

SCRIPTS: Mapping[str, tuple[str, Sequence[tuple[int, int]]]] = _TABLES["scripts"]
"""Script -> its languages, the commonest on the web first, and its ranges of code points."""

_END = 0x32000
_LEAST_KANA = 0.05  # share of kana that makes a text Japanese; Chinese texts have hardly any


@cache
def _scripts() -> npt.NDArray[np.uint8]:
    """The script of each code point, as its place in `SCRIPTS` from 1; 0 if it is no letter."""
    table = np.zeros(_END + 1, np.uint8)
    for number, (_, spans) in enumerate(SCRIPTS.values(), 1):
        for start, end in spans:
            table[start:end] = number
    basic = np.flatnonzero(table[:0x10000])  # beyond the basic plane all are ideographs
    letters = np.fromiter(map(str.isalpha, map(chr, basic.tolist())), np.bool_, len(basic))
    table[basic[~letters]] = 0
    return table


def script_of(text: str) -> str:
    """The script of most letters of a text, "" for a text without letters.

    An ideograph counts twice, since it carries as much as two letters of an alphabet.

    >>> script_of("Ελλάδα is Greek: ελληνικά"), script_of("日本語のテキスト"), script_of("12")
    ('Greek', 'Kana', '')
    """
    scripts = _scripts()[np.minimum(code_points(text), _END)]
    numbers = np.bincount(scripts, minlength=len(SCRIPTS) + 1).tolist()
    counts = {name: number for name, number in zip(SCRIPTS, numbers[1:], strict=True) if number}
    if "Han" in counts:
        counts["Han"] *= 2
    if counts.get("Kana", 0) > _LEAST_KANA * counts.get("Han", 0) / 2:
        counts["Kana"] += counts.pop("Han", 0)
    return max(counts, key=lambda name: (counts[name], name), default="")


# convert a page's name of a language to a BCP 47 tag: `en_us` to `en-US`

ISO_639_1 = frozenset(_TABLES["codes"]["iso_639_1"].split())
"""All codes of two letters."""

_MISTAKEN: Mapping[str, str] = _TABLES["mistaken"]
_MACRO: Mapping[str, str] = _TABLES["macro"]
"""`_MISTAKEN`: codes of countries and withdrawn codes -> the right code; `_MACRO`: equal codes."""

_TAG = re.compile(r"([a-z]{2,3})(?:-([a-z]{4}))?(?:-([a-z]{2}|\d{3}))?(?:-.*)?", re.IGNORECASE)
_MAX_CHARS = 40  # of a tag; real ones have under 12


def tag_of(written: str) -> str:
    """The BCP 47 tag that a page means, with language, script and region only; "" for none.

    >>> tag_of("PT_br"), tag_of("zh-hant-tw"), tag_of("cz"), tag_of("utf-8"), tag_of("English")
    ('pt-BR', 'zh-Hant-TW', 'cs', '', 'en')
    """
    name = written.strip()[: _MAX_CHARS + 1].partition(",")[0].partition(".")[0].replace("_", "-")
    name = lexicon().names.get(name.lower(), name)
    match = _TAG.fullmatch(name)
    if match is None or len(name) > _MAX_CHARS:
        return ""
    language, script, region = (part or "" for part in match.groups())
    language = _MISTAKEN.get(language.lower(), language.lower())
    if (len(language) == 2 and language not in ISO_639_1) or language in ("utf", "und", "mul"):
        return ""
    return "-".join(filter(None, (language, script.title(), region.upper())))


def language_of(tag: str) -> str:
    """The language of a tag; tags that pages use for the same language give the same one.

    >>> language_of("nb-NO"), language_of("zh-Hant"), language_of("yue")
    ('no', 'zh', 'zh')
    """
    name = tag.partition("-")[0]
    return _MACRO.get(name, name)


# collect a page's claims of its language: attributes and meta elements

_META = frozenset("content-language og:locale language dc.language dcterms.language".split())
"""Names, properties or `http-equiv` of `meta` elements that claim a language."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A language that the page claims: its tag, the source, and the node (-1 for none)."""

    tag: str
    source: str
    node: int = -1


def claims(document: Document) -> list[Claim]:
    """The languages that a page claims; the claim nearest to its text comes first."""
    blocks = document.blocks
    kept = document.kept or range(len(blocks))
    return [claim for claim in (*_around(blocks, kept), *_in_head(blocks)) if claim.tag]


def _around(blocks: Blocks, kept: Iterable[int]) -> Iterator[Claim]:
    """`lang` or `xml:lang` of the element around most of the kept text."""
    table, sizes = blocks.table, Counter[int]()
    around = _inherited(blocks)[blocks.node].tolist()
    for index in kept:
        sizes[around[index]] += len(blocks.texts[index])
    best = max(sizes, key=lambda node: (sizes[node], -node), default=-1)
    if best < 0 and table.tags[:1] == ("html",):
        best = 0
    if best >= 0:
        source = f"{table.tags[best]} lang"
        yield Claim(tag_of(_lang(table.attributes[best])), source, best)


def _lang(attributes: Mapping[str, str]) -> str:
    return attributes.get("lang") or attributes.get("xml:lang") or ""


def _inherited(blocks: Blocks) -> Ints:
    """The nearest element with a valid language at or around each element, -1 for none; (m,)."""
    table = blocks.table
    sources = np.full(len(table.parent), -1, np.int64)
    # inner elements come later and overwrite outer ones
    for node in table.attributes.having(("lang", "xml:lang")):
        if tag_of(_lang(table.attributes[node])):
            sources[node : table.end[node]] = node
    return sources


def _in_head(blocks: Blocks) -> Iterator[Claim]:
    """Claims of `meta` elements before `body`."""
    for node, tag, pairs in in_head(blocks.table, "content"):
        if tag == "meta":
            name = pairs.get("http-equiv") or pairs.get("property") or pairs.get("name") or ""
            name = name.strip().lower()
            if name in _META:
                yield Claim(tag_of(pairs["content"]), f"meta {name}", node)


# identify the language of a text by its script and commonest words

MAX_TEXT_CHARS = 2_000  # of a text that are read; more do not change the result


def identify(text: str) -> Mapping[str, float]:
    """Map languages to their probabilities, which sum to 1; empty for a text without letters.

    The only language of a script has the probability 1.
    """
    head = text[:MAX_TEXT_CHARS]
    script = script_of(head)
    languages = SCRIPTS[script][0].split() if script else []
    if len(languages) < 2:
        return dict.fromkeys(languages, 1.0)
    return by_words(head, languages)


# Words and claims are treated as independent: their probabilities are multiplied. A claim is right
# with the probability `_RELIABILITY`; if it is wrong, all other languages are equally likely. So
# many words outweigh a claim, and a claim outweighs few words.

_RELIABILITY = 0.97  # probability that a claim is right
_DEFAULT_RELIABILITY = {"en": 0.9}  # the default of templates, left unchanged on many a page
_LANGUAGES = 100.0  # that a page may be in, if its claim is wrong
_DOUBT, _DOUBT_CHARS, _LEAST_DOUBT = 0.1, 60.0, 1e-5
"""Probability that the words say nothing: for an empty text, characters that divide it by ten, and
its least value."""
_LEAST = 0.5  # probability of a language that is given
_CODE_TAGS = frozenset({"pre", "code", "kbd", "samp"})


def language(document: Document) -> Value | None:
    """The language of a document as a BCP 47 tag; None if no language is likely.

    Script and region come from the page's claim if it names the same language. `source` is "words",
    the source of the claim, or both ("words, html lang").
    """
    page_claims = claims(document)
    text = text_of(document)
    value = judge(identify(text), len(text), page_claims)
    if value is None:
        return None
    claim = next((claim for claim in page_claims if claim.source in value.source), None)
    xpath = document.blocks.xpath(claim.node) if claim and claim.node >= 0 else ""
    return value._replace(xpath=xpath)


def judge(words: Mapping[str, float], chars: int, page_claims: Sequence[Claim]) -> Value | None:
    """The likeliest language by words and claims, without an XPath; None if all are unlikely.

    `words` are the probabilities of languages by the words of a text of `chars` characters.
    """
    doubt = max(_LEAST_DOUBT, _DOUBT * 10.0 ** (-chars / _DOUBT_CHARS)) if words else 1.0
    probabilities = combine(words, page_claims, doubt)
    best = max(probabilities, key=lambda name: (probabilities[name], name), default="")
    if probabilities.get(best, 0.0) < _LEAST:
        return None
    claim = next((claim for claim in page_claims if language_of(claim.tag) == best), None)
    agrees = bool(words) and max(words, key=lambda name: (words[name], name)) == best
    sources = ["words"] * agrees + ([claim.source] if claim else [])
    tag = claim.tag if claim else best
    return Value(tag, ", ".join(sources) or "words", round(probabilities[best], 4))


def text_of(document: Document) -> str:
    """The text to identify: kept blocks without code, else all kept blocks, else all blocks."""
    blocks = document.blocks
    kept = document.kept or range(len(blocks))
    prose = [
        index for index in kept if blocks.table.tags[int(blocks.node[index])] not in _CODE_TAGS
    ]
    texts, size = [], 0
    for index in prose or kept:
        texts.append(blocks.texts[index])
        size += len(texts[-1])
        if size > MAX_TEXT_CHARS:
            break
    return "\n".join(texts)[:MAX_TEXT_CHARS]


def combine(
    words: Mapping[str, float], page_claims: Sequence[Claim], doubt: float
) -> Mapping[str, float]:
    """Map all languages of words and claims to their probabilities.

    `doubt` is the probability that the words say nothing. Claims of the same language count once,
    since they come from the same template.
    """
    claimed = (language_of(claim.tag) for claim in page_claims)
    trust = {name: _DEFAULT_RELIABILITY.get(name, _RELIABILITY) for name in claimed}
    other = (1.0 - max(trust.values())) / _LANGUAGES if trust else 1.0 / _LANGUAGES
    names = list(dict.fromkeys([*words, *trust]))
    products = {
        name: ((1.0 - doubt) * words.get(name, 0.0) + doubt / _LANGUAGES) * trust.get(name, other)
        for name in names
    }
    unnamed = max(0.0, _LANGUAGES - len(names)) * doubt / _LANGUAGES * other
    total = sum(products.values()) + unnamed
    return {name: product / total for name, product in products.items()}
