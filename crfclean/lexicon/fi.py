"""Words of Finnish."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, DateWords, ForumWords, Language

_KIND_PHRASES = {
    "teaser": (
        "lue myös|katso myös|aiheeseen liittyvät|luetuimmat|sinua voisi kiinnostaa|"
        "lisää aiheesta|lue lisää|lue seuraavaksi|uusimmat|aiheesta lisää"
    ),
    "promo": (
        "tilaa uutiskirje|jaa artikkeli|jaa facebookissa|seuraa meitä|lataa sovellus|"
        "tue meitä|seuraa artikkeliin"
    ),
    "notice": (
        "käytämme evästeitä|tämä sivusto käyttää evästeitä|sivusto käyttää evästeitä|"
        "hyväksy kaikki|hyväksy evästeet|vain tilaajille"
    ),
    "legal": "kaikki oikeudet pidätetään|tietosuojaseloste|käyttöehdot",
}

FINNISH = Language(
    code="fi",
    function_words="ja on ei että oli se hän mutta ovat joka kun niin myös tai kuin ole sen",
    comments="kommentti kommentit kommenttia",
    dates=DateWords(
        month_stems=(
            "tammikuu helmikuu maaliskuu huhtikuu toukokuu kesäkuu heinäkuu elokuu syyskuu lokakuu "
            "marraskuu joulukuu"
        ),
        units="minuut|tun|päiv|viik|kuukau|vuo",
        ago="sitten",
        days="eilen|tänään",
    ),
    bylines=BylineWords(
        by=r"kirjoittaja|kirjoittanut|toimittaja(?=\s*:)|teksti(?=\s*:)",
        labels="kirjoittaja",
        end_words="julkaistu|päivitetty",
        joins="ja",
        others=r"kuvat?\s*:|kuvitus\s*:",
        agencies="STT",
    ),
    kind_phrases=_KIND_PHRASES,
    forum=ForumWords(said="kirjoitti|sanoi", dateparser=True),
)
