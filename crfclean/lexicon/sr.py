"""Words of Serbian."""

from __future__ import annotations

from crfclean.lexicon.language import Language

SERBIAN = Language(
    code="sr",
    function_words="и је у на се да за су од са који што о као из не то би али",
    comments="коментар коментари komentar komentari",
)
