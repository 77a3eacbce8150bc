"""Words of Arabic."""

from __future__ import annotations

from crfclean.lexicon.language import Language

ARABIC = Language(
    code="ar",
    function_words="في من على أن إلى التي عن الذي هذا مع ما هذه لا كان أو بعد",
    comments="تعليق تعليقات التعليقات",
    phrases={"related": "مقالات|اقرأ", "comments": "تعليق"},
)
