"""Words of Belarusian."""

from __future__ import annotations

from crfclean.lexicon.language import Language

BELARUSIAN = Language(
    code="be",
    function_words="і у не на з што да як гэта ад за для яго але был каб таксама па",
)
