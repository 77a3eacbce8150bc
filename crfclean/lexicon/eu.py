"""Words of Basque."""

from __future__ import annotations

from crfclean.lexicon.language import Language

BASQUE = Language(
    code="eu",
    function_words="eta da du ez bat dira ere izan egin dute baina zen hau edo den",
)
