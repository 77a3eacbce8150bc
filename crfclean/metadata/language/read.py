"""Determine the language of a document from the words of its text and from the page's claims.

Words and claims are treated as independent: their probabilities are multiplied. A claim is right
with the probability `_RELIABILITY`; if it is wrong, any other language is equally likely. So words
outweigh a claim if there are enough of them, and a claim decides if there are few.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from crfclean.metadata.language.claims import Claim, claims
from crfclean.metadata.language.identify import MAX_TEXT_CHARS, identify
from crfclean.metadata.language.tags import language_of
from crfclean.metadata.values import Value
from crfclean.types import Document

_RELIABILITY = 0.97  # probability that a claim is right
_DEFAULT_RELIABILITY = {"en": 0.9}  # the default of templates, left unchanged on many a page
_LANGUAGES = 100.0  # that a page may be in, if its claim is wrong
_DOUBT, _DOUBT_CHARS, _LEAST_DOUBT = 0.1, 60.0, 1e-5
"""Probability that the words say nothing: of an empty text, the characters that divide it by ten,
and the least."""
_CODE_TAGS = frozenset({"pre", "code", "kbd", "samp"})


def language(document: Document, *, library: bool = False) -> Value | None:
    """The language of a document as a BCP 47 tag; None without any evidence.

    With `library` py3langid reads the words; raises `CrfcleanError` where it is not installed.

    Script and region are those of the page's claim, if it names the same language.
    `source` is "words", the source of the claim, or both ("words, html lang").
    """
    page_claims = claims(document)
    text = text_of(document)
    value = judge(identify(text, library=library), len(text), page_claims)
    if value is None:
        return None
    claim = next((claim for claim in page_claims if claim.source in value.source), None)
    xpath = document.blocks.xpath(claim.node) if claim and claim.node >= 0 else ""
    return replace(value, xpath=xpath)


def judge(words: Mapping[str, float], chars: int, page_claims: Sequence[Claim]) -> Value | None:
    """The likeliest language by words and claims, without an XPath; None without any evidence.

    `words` are the probabilities of languages by the words of a text of `chars` characters.
    """
    doubt = max(_LEAST_DOUBT, _DOUBT * 10.0 ** (-chars / _DOUBT_CHARS)) if words else 1.0
    probabilities = combine(words, page_claims, doubt)
    if not probabilities:
        return None
    best = max(probabilities, key=lambda name: (probabilities[name], name))
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
        index for index in kept if blocks.nodes.tags[int(blocks.node[index])] not in _CODE_TAGS
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
    """Language -> its probability, for all languages that words or claims name.

    With the probability `doubt` the words say nothing. Claims of the same language count once,
    since they come from the same template.
    """
    trust = {name: _trust(name) for name in (language_of(claim.tag) for claim in page_claims)}
    other = (1.0 - max(trust.values())) / _LANGUAGES if trust else 1.0 / _LANGUAGES
    names = list(dict.fromkeys([*words, *trust]))
    products = {
        name: ((1.0 - doubt) * words.get(name, 0.0) + doubt / _LANGUAGES) * trust.get(name, other)
        for name in names
    }
    unnamed = max(0.0, _LANGUAGES - len(names)) * doubt / _LANGUAGES * other
    total = sum(products.values()) + unnamed
    return {name: product / total for name, product in products.items()}


def _trust(language: str) -> float:
    """The probability that a claim of this language is right."""
    return _DEFAULT_RELIABILITY.get(language, _RELIABILITY)
