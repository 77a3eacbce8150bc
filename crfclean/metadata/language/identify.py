"""Identify the language of a text, with py3langid if it is installed.

Without it (`pip install "crfclean[language]"`) script and commonest words decide. A script that
only one language uses decides alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from crfclean.metadata.language.function_words import by_words
from crfclean.metadata.language.scripts import languages_of, script_of
from crfclean.metadata.language.tags import language_of

MAX_TEXT_CHARS = 2_000  # of a text that are read; more do not change the result
_NO_LANGUAGE = frozenset({"zxx", "vo", "grc", "hbo", "la", "sa"})
"""Labels that hardly any page deserves: no language, Volapük, languages of old texts."""


def identify(text: str) -> Mapping[str, float]:
    """Language -> its probability; empty for a text without letters. They sum to 1 at most."""
    head = text[:MAX_TEXT_CHARS]
    script = script_of(head)
    languages = languages_of(script)
    if len(languages) < 2:
        return dict.fromkeys(languages, 1.0)
    identifier = _identifier()
    return by_words(head, languages) if identifier is None else _probabilities(identifier, head)


def has_library() -> bool:
    """Whether py3langid is installed."""
    return _identifier() is not None


@cache
def _identifier() -> Any:
    """The identifier of py3langid, opened once; None if it is not installed."""
    try:
        from py3langid import langid
    except ImportError:
        return None
    return langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE, norm_probs=True)


def _probabilities(identifier: Any, text: str) -> Mapping[str, float]:
    probabilities: dict[str, float] = {}
    for label, probability in identifier.rank(text):
        if label not in _NO_LANGUAGE:
            name = language_of(label)
            probabilities[name] = probabilities.get(name, 0.0) + float(probability)
    return probabilities
