"""Words of Hungarian."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, DateWords, ForumWords, Language

_KIND_PHRASES = {
    "teaser": (
        "olvasd el ezt is|olvassa el ezt is|ezt is olvasd el|kapcsolódó cikkek|"
        "legolvasottabb|ez is érdekelheti|ajánlott cikkek|ajánljuk még|"
        "ezek is érdekelhetnek|olvasson tovább|ezt is olvassa"
    ),
    "promo": (
        "iratkozzon fel|iratkozz fel|oszd meg|ossza meg|kövess minket|kövessen minket|"
        "támogass minket|ezt ne hagyja ki"
    ),
    "notice": (
        "ez a weboldal sütiket használ|ez az oldal sütiket használ|"
        "az oldal sütiket használ|sütiket használunk|összes elfogadása|"
        "az összes elfogadása|csak előfizetőknek|a weboldalon sütiket|sütiket használ"
    ),
    "legal": (
        "minden jog fenntartva|adatvédelmi tájékoztató|adatkezelési tájékoztató|"
        "felhasználási feltételek"
    ),
}

HUNGARIAN = Language(
    code="hu",
    function_words="a az és hogy nem is egy van meg ez volt csak de ha mint el már még vagy",
    dates=DateWords(
        year_first=True,
        month_stems="január febr márc ápr május június július máj jún júl aug szept",
        days="tegnap|tegnapelőtt",
    ),
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
    forum=ForumWords(
        fields={"joined": "csatlakozott regisztrált", "posts": "hozzászólások", "action": "válasz"},
        said="írta|mondta",
        dateparser=True,
    ),
)
