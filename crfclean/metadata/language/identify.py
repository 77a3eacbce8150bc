"""Identify the language of a text by its script and commonest words, or by py3langid.

The library (`pip install "crfclean[language]"`) takes part only where it is asked for, so that
the result does not depend on what is installed. A script that only one language uses decides alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from typing import Any

from crfclean.metadata.language.function_words import by_words
from crfclean.metadata.language.scripts import languages_of, script_of
from crfclean.metadata.language.tags import language_of
from crfclean.types import CrfcleanError

MAX_TEXT_CHARS = 2_000  # of a text that are read; more do not change the result
_NO_LANGUAGE = frozenset({"zxx", "vo", "grc", "hbo", "la", "sa"})
"""Labels that hardly any page deserves: no language, Volapük, languages of old texts."""


def identify(text: str, *, library: bool = False) -> Mapping[str, float]:
    """Language -> its probability; empty for a text without letters. They sum to 1 at most.

    With `library` py3langid decides; raises `CrfcleanError` where it is not installed.
    """
    head = text[:MAX_TEXT_CHARS]
    script = script_of(head)
    languages = languages_of(script)
    if len(languages) < 2:
        return dict.fromkeys(languages, 1.0)
    return _probabilities(_identifier(), head) if library else by_words(head, languages)


@cache
def open_identifier() -> str:
    """Open py3langid; return its name and version. Raises `CrfcleanError` without it."""
    _identifier()
    return f"py3langid {version('py3langid')}"


@cache
def _identifier() -> Any:
    """The identifier of py3langid, opened once; raises `CrfcleanError` without it."""
    try:
        from py3langid import langid
    except ImportError as error:
        raise CrfcleanError("py3langid is missing: pip install 'crfclean[language]'") from error
    return langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE, norm_probs=True)


def _probabilities(identifier: Any, text: str) -> Mapping[str, float]:
    probabilities: dict[str, float] = {}
    for label, probability in identifier.rank(text):
        if label not in _NO_LANGUAGE:
            name = language_of(label)
            probabilities[name] = probabilities.get(name, 0.0) + float(probability)
    return probabilities
