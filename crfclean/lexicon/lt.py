"""Words of Lithuanian."""

from __future__ import annotations

from crfclean.lexicon.language import Language

LITHUANIAN = Language(
    code="lt",
    function_words="ir yra kad į su tai iš ne bet kaip už buvo apie jis o taip",
)
