"""Words of Hindi."""

from __future__ import annotations

from crfclean.lexicon.language import Language

HINDI = Language(
    code="hi",
    function_words="के की में है का और से को ने पर हैं कि यह भी एक",
)
