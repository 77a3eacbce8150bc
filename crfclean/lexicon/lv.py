"""Words of Latvian."""

from __future__ import annotations

from crfclean.lexicon.language import Language

LATVIAN = Language(
    code="lv",
    function_words="un ir ar par no ka uz tas bet arī kā nav vai lai pie tika",
)
