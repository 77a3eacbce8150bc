"""Words of Catalan."""

from __future__ import annotations

from crfclean.lexicon.language import Language

CATALAN = Language(
    code="ca",
    function_words="de la i que el en els les del a per un una amb no és al dels se més com",
)
