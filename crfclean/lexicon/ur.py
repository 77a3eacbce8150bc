"""Words of Urdu."""

from __future__ import annotations

from crfclean.lexicon.language import Language

URDU = Language(
    code="ur",
    function_words="کے کی میں ہے کا اور سے کو نے پر ہیں کہ اس یہ بھی کر",
)
