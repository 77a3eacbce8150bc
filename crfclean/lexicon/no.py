"""Words of Norwegian."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, DateWords, ForumWords, Language

_KIND_PHRASES = {
    "teaser": (
        "les også|relaterte artikler|relaterte saker|mest lest|flere saker|les mer|se også|"
        "siste saker|relaterte emner|anbefalt"
    ),
    "promo": (
        "meld deg på|del artikkelen|del på facebook|følg oss|last ned appen|støtt oss|"
        "del artikkel|del saken|nyhetsbrev|tips oss"
    ),
    "notice": (
        "vi bruker cookies|vi bruker informasjonskapsler|dette nettstedet bruker cookies|"
        "dette nettstedet bruker informasjonskapsler|godta alle|aksepter alle|"
        "kun for abonnenter|allerede abonnent"
    ),
    "legal": "alle rettigheter reservert|personvernerklæring|vilkår for bruk",
}

NORWEGIAN = Language(
    code="no",
    function_words="og i det er en til av på som for med at den ikke et har de fra jeg ble",
    comments="kommentar kommentarer",
    dates=DateWords(
        months=(
            *("januar", "februar", "mars", "april", "mai", "juni", "juli", "august"),
            *("september", "oktober okt", "november", "desember des"),
        ),
        month_stems="mai des",
        units="minutt|time|dag|uke|måned|år",
        one="en|et",
        ago="siden",
        days="i går|i dag",
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
    kind_phrases=_KIND_PHRASES,
    forum=ForumWords(said="skrev", dateparser=True),
)
