"""Words of Romanian."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, DateWords, ForumWords, Language

_KIND_PHRASES = {
    "teaser": (
        "citește și|citeşte şi|citiți și|vezi și|vezi şi|articole similare|"
        "articole asemănătoare|știri similare|cele mai citite|te-ar putea interesa"
    ),
    "promo": (
        "abonează-te|abonați-vă|urmărește-ne|urmăriți-ne|descarcă aplicația|susține-ne|donează"
    ),
    "notice": (
        "folosim cookie-uri|utilizăm cookie-uri|acest site folosește cookie|"
        "acest site utilizează cookie|acceptă toate|accept toate|folosim cookie"
    ),
    "legal": "toate drepturile rezervate|politica de confidențialitate|termeni și condiții",
}

ROMANIAN = Language(
    code="ro",
    function_words="și de în la a cu pe că nu din o este un pentru mai care sunt se fi prin",
    dates=DateWords(
        month_stems="ianuarie iunie iulie noiembrie ian iun iul",
        units="minut|or[aăe]|zi|săpt|lun|an",
        one="una?",
        before_units="acum",
        days="ieri|astăzi",
    ),
    bylines=BylineWords(
        by="scris de|autori",
        labels="scris de",
        end_words="publicat|actualizat",
        joins_capitals="și|şi",
        roles="redactor|jurnalist",
        agencies="Agerpres",
    ),
    comments="comentariu comentarii",
    kind_phrases=_KIND_PHRASES,
    forum=ForumWords(said="a scris|a spus", dateparser=True),
)
