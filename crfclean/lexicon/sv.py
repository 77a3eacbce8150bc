"""Words of Swedish."""

from __future__ import annotations

from crfclean.lexicon.language import DateWords, Language

SWEDISH = Language(
    code="sv",
    function_words="och att det i en som på är av för med den till inte ett om har de från jag",
    comments="kommentar kommentarer",
    dates=DateWords(before_clock=r"kl\. ?"),
)
