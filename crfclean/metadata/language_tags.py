"""Convert a page's name of a language to a BCP 47 tag: `en_us` to `en-US`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from crfclean.lexicon import lexicon
from crfclean.metadata.scripts import LANGUAGE_TABLES

ISO_639_1 = frozenset(LANGUAGE_TABLES["codes"]["iso_639_1"].split())
"""All codes of two letters."""

_MISTAKEN: Mapping[str, str] = LANGUAGE_TABLES["mistaken"]
_MACRO: Mapping[str, str] = LANGUAGE_TABLES["macro"]
"""`_MISTAKEN`: codes of countries and withdrawn codes -> the right code; `_MACRO`: equal codes."""

_TAG = re.compile(r"([a-z]{2,3})(?:-([a-z]{4}))?(?:-([a-z]{2}|\d{3}))?(?:-.*)?", re.IGNORECASE)
_MAX_TAG_CHARS = 40  # of a tag; real ones have under 12


def tag_of(written: str) -> str:
    """The BCP 47 tag that a page means, with language, script and region only; "" for none.

    >>> tag_of("PT_br"), tag_of("zh-hant-tw"), tag_of("cz"), tag_of("utf-8"), tag_of("English")
    ('pt-BR', 'zh-Hant-TW', 'cs', '', 'en')
    """
    name = (
        written.strip()[: _MAX_TAG_CHARS + 1].partition(",")[0].partition(".")[0].replace("_", "-")
    )
    name = lexicon().names.get(name.lower(), name)
    match = _TAG.fullmatch(name)
    if match is None or len(name) > _MAX_TAG_CHARS:
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
