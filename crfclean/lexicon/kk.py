"""Words of Kazakh."""

from __future__ import annotations

from crfclean.lexicon.language import Language

KAZAKH = Language(
    code="kk",
    function_words="және мен бұл бір да де үшін деп бар болып туралы екен",
)
