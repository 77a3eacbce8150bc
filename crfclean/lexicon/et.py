"""Words of Estonian."""

from __future__ import annotations

from crfclean.lexicon.language import Language

ESTONIAN = Language(
    code="et",
    function_words="ja on ei et see oli ka kui mis ta aga või selle nii oma ning",
)
