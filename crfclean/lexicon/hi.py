"""Words of Hindi."""

from __future__ import annotations

from crfclean.lexicon.language import Language

_KIND_PHRASES = {
    "teaser": "यह भी पढ़ें|ये भी पढ़ें|इसे भी पढ़ें|और पढ़ें|संबंधित खबरें|संबंधित लेख",
    "promo": "सब्सक्राइब करें|शेयर करें|हमें फॉलो करें",
    "notice": "हम कुकीज़ का|यह वेबसाइट कुकीज़|यह साइट कुकीज़",
    "legal": "सर्वाधिकार सुरक्षित|गोपनीयता नीति|नियम और शर्तें",
}

HINDI = Language(
    code="hi",
    function_words="के की में है का और से को ने पर हैं कि यह भी एक",
    kind_phrases=_KIND_PHRASES,
)
