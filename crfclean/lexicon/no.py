"""Words of Norwegian."""

from __future__ import annotations

from crfclean.lexicon.language import DateWords, Language

_KIND_PHRASES = {
    "teaser": "les også|relaterte artikler|relaterte saker|mest lest|flere saker",
    "promo": "meld deg på|del artikkelen|del på facebook|følg oss|last ned appen|støtt oss",
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
    dates=DateWords(before_clock=r"kl\. ?"),
    kind_phrases=_KIND_PHRASES,
)
