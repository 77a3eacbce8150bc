"""Words of Slovenian."""

from __future__ import annotations

from crfclean.lexicon.language import Language

SLOVENIAN = Language(
    code="sl",
    function_words="in je v na se da za so z ki pa ne bi tudi kot po od ali o iz",
)
