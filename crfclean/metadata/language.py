"""Identify the language of a page by its script, its commonest words and its claims."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from crfclean.metadata.common_words import by_words
from crfclean.metadata.language_claims import Claim, claims
from crfclean.metadata.language_tags import language_of
from crfclean.metadata.scripts import LANGUAGE_TABLES, SCRIPTS, script_of
from crfclean.types import Document, Value

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
_RELATIVES: Mapping[str, str] = LANGUAGE_TABLES["relatives"]
_CODE_TAGS = frozenset({"pre", "code", "kbd", "samp"})


def language(document: Document) -> Value | None:
    """The language of a document as a BCP 47 tag; None if no language is likely.

    Script and region come from the page's claim if it names the same language. `source` is "words",
    the source of the claim, or both ("words, html lang").
    """
    page_claims = claims(document)
    text = identified_text(document)
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
    words = _with_relatives(words, page_claims)
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


def _with_relatives(
    words: Mapping[str, float], page_claims: Sequence[Claim]
) -> Mapping[str, float]:
    """Make claimed languages without words here as likely as those whose words they share."""
    claimed = _RELATIVES.keys() & {language_of(claim.tag) for claim in page_claims}
    alike = {name: (name, *_RELATIVES[name].split()) for name in claimed} if words else {}
    chances = {name: max(words.get(other, 0.0) for other in alike[name]) for name in alike}
    return {**words, **chances}


def identified_text(document: Document) -> str:
    """The text to identify: kept blocks without code, else all kept blocks, else all blocks."""
    blocks = document.blocks
    kept = document.kept or range(len(blocks))
    texts, tags, nodes = blocks.texts, blocks.table.tags, blocks.node
    prose = (texts[index] for index in kept if tags[nodes[index]] not in _CODE_TAGS)
    return _beginning(prose) or _beginning(texts[index] for index in kept)


def _beginning(texts: Iterable[str]) -> str:
    """The first characters of some texts, a line each."""
    lines, size = [], 0
    for text in texts:
        lines.append(text)
        size += len(text)
        if size > MAX_TEXT_CHARS:
            break
    return "\n".join(lines)[:MAX_TEXT_CHARS]


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
