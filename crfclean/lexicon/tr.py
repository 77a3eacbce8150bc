"""Words of Turkish."""

from __future__ import annotations

from crfclean.lexicon.language import Language

TURKISH = Language(
    code="tr",
    function_words="ve bir bu da için ile de çok olarak daha gibi olan ne en sonra kadar o ama",
    comments="yorum yorumlar",
)
