"""Words of Finnish."""

from __future__ import annotations

from crfclean.lexicon.language import Language

FINNISH = Language(
    code="fi",
    function_words="ja on ei että oli se hän mutta ovat joka kun niin myös tai kuin ole sen",
    comments="kommentti kommentit kommenttia",
)
