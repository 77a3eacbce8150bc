"""Words of Italian."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, DateWords, Language, PageTypeWords

_PHRASES = {
    "related": "leggi anche",
    "comments": "commenti",
    "share": "condividi|stampa",
    "legal": "diritti riservati",
    "subscribe": "iscriviti",
    "byline": "di |pubblicato|fonte",
    "ad": "pubblicit",
}

_DATES = DateWords(
    months=(
        *("gennaio gen", "febbraio feb", "marzo mar", "aprile apr", "maggio mag", "giugno giu"),
        *("luglio lug", "agosto ago", "settembre set", "ottobre ott", "novembre nov"),
        "dicembre dic",
    ),
    month_stems="gen mag giu lug ago set ott dic",
    published="pubblicat",
    modified="aggiornat",
)

ITALIAN = Language(
    code="it",
    names="italian",
    function_words=(
        "di e che il la in un per è del non una con sono della le da si dei al nel gli"
    ),
    comments="commento commenti",
    phrases=_PHRASES,
    dates=_DATES,
    bylines=BylineWords(by="di|scritto da", joins="con", joins_capitals="e"),
    page_types=PageTypeWords(texts={"cart": "carrello"}),
)
