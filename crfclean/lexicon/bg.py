"""Words of Bulgarian."""

from __future__ import annotations

from crfclean.lexicon.language import Language

BULGARIAN = Language(
    code="bg",
    function_words="на и в да се за е от с че не са по като това си или до бе който",
    comments="коментар коментари",
)
