"""Words of Icelandic."""

from __future__ import annotations

from crfclean.lexicon.language import Language

ICELANDIC = Language(
    code="is",
    function_words="og að í á er sem við til um það en ekki með var fyrir hann af ég",
)
