"""Words of Finnish."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, Language

FINNISH = Language(
    code="fi",
    function_words="ja on ei että oli se hän mutta ovat joka kun niin myös tai kuin ole sen",
    comments="kommentti kommentit kommenttia",
    bylines=BylineWords(
        by=r"kirjoittaja|kirjoittanut|toimittaja(?=\s*:)|teksti(?=\s*:)",
        labels="kirjoittaja",
        end_words="julkaistu|päivitetty",
        joins="ja",
        others=r"kuvat?\s*:|kuvitus\s*:",
        agencies="STT",
    ),
)
