"""Words of Croatian."""

from __future__ import annotations

from crfclean.lexicon.language import Language

_KIND_PHRASES = {
    "teaser": (
        "pročitajte i|pročitajte još|pročitaj i|pogledajte i|povezani članci|"
        "povezane vijesti|najčitanije|najnovije vijesti|možda vas zanima|slični članci|"
        "više o temi"
    ),
    "promo": (
        "pretplatite se|prijavite se na newsletter|podijeli na|podijelite|pratite nas|"
        "preuzmite aplikaciju|pošaljite vijest"
    ),
    "notice": (
        "ova stranica koristi kolačiće|ova web stranica koristi kolačiće|"
        "koristimo kolačiće|prihvati sve|prihvaćam sve"
    ),
    "legal": "sva prava pridržana|pravila privatnosti|uvjeti korištenja",
}

CROATIAN = Language(
    code="hr",
    function_words="i je u na se da za su od s a koji što o kao iz ne to bi ali",
    kind_phrases=_KIND_PHRASES,
)
