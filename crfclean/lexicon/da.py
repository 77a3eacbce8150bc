"""Words of Danish."""

from __future__ import annotations

from crfclean.lexicon.language import DateWords, Language

DANISH = Language(
    code="da",
    function_words="og i at det er en til af på den der for med de som ikke et har fra jeg",
    comments="kommentar kommentarer",
    dates=DateWords(before_clock=r"kl\. ?"),
)
