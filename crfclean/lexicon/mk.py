"""Words of Macedonian."""

from __future__ import annotations

from crfclean.lexicon.language import Language

MACEDONIAN = Language(
    code="mk",
    function_words="на и во да се од за е со не што ги ќе кои како но тоа или",
)
