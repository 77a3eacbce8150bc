"""Words of Marathi."""

from __future__ import annotations

from crfclean.lexicon.language import Language

_KIND_PHRASES = {
    "teaser": "हेही वाचा|हे पण वाचा|हे देखील वाचा|संबंधित बातम्या",
    "promo": "शेअर करा|सबस्क्राइब करा",
    "legal": "सर्व हक्क राखीव",
}

MARATHI = Language(
    code="mr",
    function_words="आहे आणि या च्या ते ही तो व हे होते केले नाही",
    kind_phrases=_KIND_PHRASES,
)
