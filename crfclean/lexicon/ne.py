"""Words of Nepali."""

from __future__ import annotations

from crfclean.lexicon.language import Language

NEPALI = Language(
    code="ne",
    function_words="छ र को मा लाई पनि छन् हो गर्न भने",
)
