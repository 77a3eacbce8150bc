"""Text -> probabilities of the languages that it may be in, by py3langid where it is installed.

Without it (`pip install "crfclean[language]"`) script and commonest words have to do. A script that
one language has decides alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from crfclean.metadata.language.function_words import by_words
from crfclean.metadata.language.scripts import languages_of, script_of
from crfclean.metadata.language.tags import language_of

MAX_CHARS = 2_000  # of a text that are looked at: more change nothing
_NO_LANGUAGE = frozenset({"zxx", "vo", "grc", "hbo", "la", "sa"})
"""Labels that hardly any page on the web has: no words, Volapük, languages of old texts."""


def identify(text: str) -> Mapping[str, float]:
    """Language -> its probability, those of a text without letters: none; they sum to 1 at most."""
    head = text[:MAX_CHARS]
    script = script_of(head)
    known = languages_of(script)
    if len(known) < 2:
        return dict.fromkeys(known, 1.0)
    identifier = _identifier()
    return by_words(head, known) if identifier is None else _ranked(identifier, head)


def has_library() -> bool:
    """Whether the library of the extra is installed."""
    return _identifier() is not None


@cache
def _identifier() -> Any:
    """The library's identifier of languages, opened once; None where it is not installed."""
    try:
        from py3langid import langid
    except ImportError:
        return None
    return langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE, norm_probs=True)


def _ranked(identifier: Any, text: str) -> Mapping[str, float]:
    found: dict[str, float] = {}
    for label, probability in identifier.rank(text):
        if label not in _NO_LANGUAGE:
            name = language_of(label)
            found[name] = found.get(name, 0.0) + float(probability)
    return found
