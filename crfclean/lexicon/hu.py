"""Words of Hungarian."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, Language

HUNGARIAN = Language(
    code="hu",
    function_words="a az és hogy nem is egy van meg ez volt csak de ha mint el már még vagy",
    bylines=BylineWords(
        by="írta|szerző",
        labels="írta|szerző",
        end_words="megjelent|frissítve",
        joins_capitals="és",
        roles="újságíró|szerkesztő",
        others=r"(?:fotó|kép)\s*:",
        agencies="MTI",
    ),
    comments="hozzászólás hozzászólások komment kommentek",
)
