"""Words of Serbian."""

from __future__ import annotations

from crfclean.lexicon.language import Language

_KIND_PHRASES = {
    "teaser": (
        "прочитајте још|прочитајте и|погледајте још|повезане вести|најчитаније|"
        "pročitajte još|pročitajte i|povezane vesti|najčitanije|možda vas zanima"
    ),
    "promo": (
        "пратите нас|pratite nas|prijavite se na newsletter|podelite|podeli na|"
        "преузмите апликацију|preuzmite aplikaciju"
    ),
    "notice": (
        "овај сајт користи колачиће|ovaj sajt koristi kolačiće|koristimo kolačiće|"
        "користимо колачиће"
    ),
    "legal": (
        "сва права задржана|sva prava zadržana|politika privatnosti|политика приватности|"
        "uslovi korišćenja|услови коришћења"
    ),
}

SERBIAN = Language(
    code="sr",
    function_words="и је у на се да за су од са који што о као из не то би али",
    comments="коментар коментари komentar komentari",
    kind_phrases=_KIND_PHRASES,
)
