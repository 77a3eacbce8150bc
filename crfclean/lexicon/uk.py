"""Words of Ukrainian."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, Language

UKRAINIAN = Language(
    code="uk",
    names="ukrainian",
    function_words="і в не на з що до та як це від за у про його для є або був але також",
    comments="коментар коментарі коментарів",
    bylines=BylineWords(
        by="автори|авторка",
        end_words="опубліковано|оновлено",
        joins="та",
        joins_capitals="і|й",
        roles="журналіст(?:ка)?|кореспондент(?:ка)?|редактор(?:ка)?",
        others=r"джерело\s*:",
    ),
)
