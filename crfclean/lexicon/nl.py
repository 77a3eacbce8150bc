"""Words of Dutch."""

from __future__ import annotations

from crfclean.lexicon.language import Language

DUTCH = Language(
    code="nl",
    names="dutch",
    function_words=(
        "de het van een en in is dat op te zijn met voor niet aan er die om ook als naar"
    ),
    comments="reactie reacties opmerkingen",
)
