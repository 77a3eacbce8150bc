"""Words of Arabic."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, Language

ARABIC = Language(
    code="ar",
    function_words="في من على أن إلى التي عن الذي هذا مع ما هذه لا كان أو بعد",
    bylines=BylineWords(by="بقلم|كتب|كتبت|الكاتب", labels="بقلم|كتب", joins="و"),
    comments="تعليق تعليقات التعليقات",
    phrases={"related": "مقالات|اقرأ", "comments": "تعليق"},
)
