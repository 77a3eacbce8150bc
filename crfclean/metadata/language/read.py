"""`Document` -> its language: by the words of its text, and by what the page says of itself.

Both are taken for independent witnesses: the probability by the words times that of the claim. A
claim is right so often as `RELIABILITY` says; where it is wrong any other language is as likely.
So words beat a claim where there are enough of them, and a claim decides where there are few.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from crfclean.metadata.language.claims import Claim, claims
from crfclean.metadata.language.identify import MAX_CHARS, identify
from crfclean.metadata.language.tags import language_of
from crfclean.metadata.values import Value
from crfclean.types import Document

RELIABILITY = 0.97  # of a claim; English is what templates claim that nobody has looked at
DEFAULT_RELIABILITY = {"en": 0.9}
LANGUAGES = 100.0  # that a page may be in, if its claim is wrong
DOUBT, CHARS, LEAST_DOUBT = 0.1, 60.0, 1e-5
"""Chance that words say nothing: without any, a tenth of it after so many characters; the least."""
CODE = frozenset({"pre", "code", "kbd", "samp"})


def language(document: Document) -> Value | None:
    """The language of a document as a BCP 47 tag; None where nothing tells of it.

    Script and region are those of the page's own claim, where it names the same language.
    `source` is "words", the source of the claim, or both ("words, html lang").
    """
    told = claims(document)
    text = text_of(document)
    found = judge(identify(text), len(text), told)
    if found is None:
        return None
    claim = next((one for one in told if one.source in found.source), None)
    xpath = document.blocks.xpath(claim.node) if claim and claim.node >= 0 else ""
    return Value(found.text, found.source, found.probability, xpath)


def judge(words: Mapping[str, float], chars: int, told: Sequence[Claim]) -> Value | None:
    """The language of a text on a page that claims these, without a place; None: unknown.

    `words` are the probabilities that the words of its `chars` characters give.
    """
    doubt = max(LEAST_DOUBT, DOUBT * 10.0 ** (-chars / CHARS)) if words else 1.0
    probabilities = combined(words, told, doubt)
    if not probabilities:
        return None
    best = max(probabilities, key=lambda name: (probabilities[name], name))
    claim = next((one for one in told if language_of(one.tag) == best), None)
    said = bool(words) and max(words, key=lambda name: (words[name], name)) == best
    sources = ["words"] * said + ([claim.source] if claim else [])
    tag = claim.tag if claim else best
    return Value(tag, ", ".join(sources) or "words", round(probabilities[best], 4))


def text_of(document: Document) -> str:
    """The text whose words tell: what is kept less its code; of a page without that, all blocks."""
    blocks = document.blocks
    kept = document.kept or range(len(blocks))
    words = [index for index in kept if blocks.nodes.tags[int(blocks.node[index])] not in CODE]
    found, size = [], 0
    for index in words or kept:
        found.append(blocks.texts[index])
        size += len(found[-1])
        if size > MAX_CHARS:
            break
    return "\n".join(found)[:MAX_CHARS]


def combined(
    words: Mapping[str, float], told: Sequence[Claim], doubt: float
) -> Mapping[str, float]:
    """Probabilities of the languages that words or claims name.

    With the chance `doubt` the words say nothing. Claims of one language count once: they come
    from the same template.
    """
    trust = {name: _trust(name) for name in (language_of(one.tag) for one in told)}
    other = (1.0 - max(trust.values())) / LANGUAGES if trust else 1.0 / LANGUAGES
    names = list(dict.fromkeys([*words, *trust]))
    products = {
        name: ((1.0 - doubt) * words.get(name, 0.0) + doubt / LANGUAGES) * trust.get(name, other)
        for name in names
    }
    unnamed = max(0.0, LANGUAGES - len(names)) * doubt / LANGUAGES * other
    total = sum(products.values()) + unnamed
    return {name: product / total for name, product in products.items()}


def _trust(language: str) -> float:
    """How often a claim of this language is right."""
    return DEFAULT_RELIABILITY.get(language, RELIABILITY)
