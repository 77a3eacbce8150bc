"""Words of Persian."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, Language

_KIND_PHRASES = {
    "teaser": (
        "بیشتر بخوانید|بیشتر بدانید|مطالب مرتبط|اخبار مرتبط|پربازدیدترین|همچنین بخوانید|"
        "مقالات مرتبط|مطالب پیشنهادی|آخرین مطالب|مطالب جالب"
    ),
    "promo": "عضویت در خبرنامه|اشتراک گذاری|ما را دنبال کنید|دانلود اپلیکیشن",
    "notice": "ما از کوکی|این سایت از کوکی",
    "legal": "تمامی حقوق|تمام حقوق|کلیه حقوق|حریم خصوصی",
}

PERSIAN = Language(
    code="fa",
    function_words="و در به از که این را با است برای آن یک خود تا بر هم شد",
    bylines=BylineWords(by="نویسنده|نوشته", labels="نویسنده"),
    kind_phrases=_KIND_PHRASES,
)
