"""Words of Japanese."""

from __future__ import annotations

from crfclean.lexicon.language import Language

JAPANESE = Language(
    code="ja",
    names="japanese",
    spaced=False,
    comments="コメント",
    phrases={"related": "関連|人気", "comments": "コメント"},
)
