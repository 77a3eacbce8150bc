"""Words of Urdu."""

from __future__ import annotations

from crfclean.lexicon.language import Language

_KIND_PHRASES = {
    "teaser": "یہ بھی پڑھیں|مزید پڑھیں|متعلقہ خبریں|مزید خبریں|متعلقہ مضامین",
    "promo": "ہمیں فالو کریں|شیئر کریں|سبسکرائب کریں",
    "legal": "جملہ حقوق محفوظ|تمام حقوق محفوظ",
}

URDU = Language(
    code="ur",
    function_words="کے کی میں ہے کا اور سے کو نے پر ہیں کہ اس یہ بھی کر",
    kind_phrases=_KIND_PHRASES,
)
