"""Convert what pages write for a language to a BCP 47 tag: `en_us` to `en-US`."""

from __future__ import annotations

import re

from crfclean.lexicon import lexicon

ISO_639_1 = frozenset(
    "aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da "
    "de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy "
    "hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg "
    "li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or "
    "os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta "
    "te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu".split()
)
"""All codes of two letters."""

_MISTAKEN = {
    "cn": "zh",
    "jp": "ja",
    "cz": "cs",
    "gr": "el",
    "ua": "uk",
    "dk": "da",
    "by": "be",
    "iw": "he",
    "in": "id",
    "ji": "yi",
    "mo": "ro",
    "sh": "sr",
}
"""Codes of countries used for languages, and withdrawn codes -> code of the language."""

_MACRO = {"nb": "no", "nn": "no", "fil": "tl", "cmn": "zh", "yue": "zh", "wuu": "zh", "arb": "ar"}
_MACRO |= {
    "zsm": "ms",
    "pes": "fa",
    "prs": "fa",
    "ekk": "et",
    "lvs": "lv",
    "arz": "ar",
    "ary": "ar",
}
_TAG = re.compile(r"([a-z]{2,3})(?:-([a-z]{4}))?(?:-([a-z]{2}|\d{3}))?(?:-.*)?", re.IGNORECASE)
_MAX_CHARS = 40  # of a tag; real ones have under 12


def tag_of(written: str) -> str:
    """The tag that is meant, reduced to language, script and region; "" for none.

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
    """The language of a tag; of tags that pages use for the same language, always the same one.

    >>> language_of("nb-NO"), language_of("zh-Hant"), language_of("yue")
    ('no', 'zh', 'zh')
    """
    name = tag.partition("-")[0]
    return _MACRO.get(name, name)
