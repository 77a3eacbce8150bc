"""Words of Catalan."""

from __future__ import annotations

from crfclean.lexicon.language import Language

_KIND_PHRASES = {
    "teaser": (
        "llegiu també|llegeix també|vegeu també|articles relacionats|notícies relacionades|"
        "també et pot interessar|el més llegit|més llegides"
    ),
    "promo": "subscriu-te|subscriviu-vos|comparteix|segueix-nos|fes una donació",
    "notice": (
        "utilitzem cookies|aquest lloc web utilitza cookies|aquest web utilitza cookies|"
        "utilitzem galetes|aquest web utilitza galetes|acceptar totes|accepta totes"
    ),
    "legal": "tots els drets reservats|avís legal|política de privacitat",
}

CATALAN = Language(
    code="ca",
    function_words="de la i que el en els les del a per un una amb no és al dels se més com",
    kind_phrases=_KIND_PHRASES,
)
