"""Words of Arabic."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, Language

_KIND_PHRASES = {
    "teaser": (
        "اقرأ أيضا|اقرأ أيضاً|إقرأ أيضا|اقرأ المزيد|شاهد أيضا|شاهد أيضاً|مواضيع ذات صلة|"
        "مقالات ذات صلة|أخبار ذات صلة|الأكثر قراءة|قد يعجبك أيضا|قد يهمك|موضوعات متعلقة"
    ),
    "promo": "اشترك في النشرة|اشترك الآن|شارك المقال|شارك هذا|تابعنا على|تابعونا على|حمل التطبيق",
    "notice": "نستخدم ملفات تعريف الارتباط|يستخدم هذا الموقع ملفات تعريف الارتباط|قبول الكل",
    "legal": "جميع الحقوق محفوظة|كل الحقوق محفوظة|سياسة الخصوصية|شروط الاستخدام",
}

ARABIC = Language(
    code="ar",
    function_words="في من على أن إلى التي عن الذي هذا مع ما هذه لا كان أو بعد",
    bylines=BylineWords(by="بقلم|كتب|كتبت|الكاتب", labels="بقلم|كتب", joins="و"),
    comments="تعليق تعليقات التعليقات",
    phrases={"related": "مقالات|اقرأ", "comments": "تعليق"},
    kind_phrases=_KIND_PHRASES,
)
