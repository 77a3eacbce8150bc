"""Words of Croatian."""

from __future__ import annotations

from crfclean.lexicon.language import Language

CROATIAN = Language(
    code="hr",
    function_words="i je u na se da za su od s a koji što o kao iz ne to bi ali",
)
