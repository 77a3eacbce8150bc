"""Words of Hungarian."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, Language

_KIND_PHRASES = {
    "teaser": (
        "olvasd el ezt is|olvassa el ezt is|ezt is olvasd el|kapcsolódó cikkek|"
        "legolvasottabb|ez is érdekelheti|ajánlott cikkek|ajánljuk még"
    ),
    "promo": (
        "iratkozzon fel|iratkozz fel|oszd meg|ossza meg|kövess minket|kövessen minket|"
        "támogass minket"
    ),
    "notice": (
        "ez a weboldal sütiket használ|ez az oldal sütiket használ|az oldal sütiket használ|"
        "sütiket használunk|összes elfogadása|az összes elfogadása|csak előfizetőknek"
    ),
    "legal": (
        "minden jog fenntartva|adatvédelmi tájékoztató|adatkezelési tájékoztató|"
        "felhasználási feltételek"
    ),
}

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
    kind_phrases=_KIND_PHRASES,
)
