"""Words of Ukrainian."""

from __future__ import annotations

from crfclean.lexicon.language import Language

UKRAINIAN = Language(
    code="uk",
    names="ukrainian",
    function_words="і в не на з що до та як це від за у про його для є або був але також",
    comments="коментар коментарі коментарів",
)
