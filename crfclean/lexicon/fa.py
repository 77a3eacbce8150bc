"""Words of Persian."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, Language

PERSIAN = Language(
    code="fa",
    function_words="و در به از که این را با است برای آن یک خود تا بر هم شد",
    bylines=BylineWords(by="نویسنده|نوشته", labels="نویسنده"),
)
