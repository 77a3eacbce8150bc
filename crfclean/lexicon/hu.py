"""Words of Hungarian."""

from __future__ import annotations

from crfclean.lexicon.language import Language

HUNGARIAN = Language(
    code="hu",
    function_words="a az és hogy nem is egy van meg ez volt csak de ha mint el már még vagy",
    comments="hozzászólás hozzászólások komment kommentek",
)
