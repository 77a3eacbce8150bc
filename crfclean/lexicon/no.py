"""Words of Norwegian."""

from __future__ import annotations

from crfclean.lexicon.language import DateWords, Language

NORWEGIAN = Language(
    code="no",
    function_words="og i det er en til av på som for med at den ikke et har de fra jeg ble",
    comments="kommentar kommentarer",
    dates=DateWords(before_clock=r"kl\. ?"),
)
