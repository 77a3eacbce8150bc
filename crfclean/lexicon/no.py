"""Words of Norwegian."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, DateWords, Language

NORWEGIAN = Language(
    code="no",
    function_words="og i det er en til av på som for med at den ikke et har de fra jeg ble",
    comments="kommentar kommentarer",
    dates=DateWords(
        months=(
            *("januar", "februar", "mars", "april", "mai", "juni", "juli", "august"),
            *("september", "oktober okt", "november", "desember des"),
        ),
        before_clock=r"kl\. ?",
        published="publiser",
        modified="oppdater|endret",
    ),
    bylines=BylineWords(
        by="skrevet av",
        end_words="publisert|oppdatert",
        others=r"bilde\s*:",
        agencies="NTB",
    ),
)
