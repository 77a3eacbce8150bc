"""Words of Vietnamese."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, Language

VIETNAMESE = Language(
    code="vi",
    function_words="và của là có các cho không được một những trong với người đã này để khi",
    bylines=BylineWords(by="tác giả", labels="tác giả", joins="và", others=r"ảnh\s*:"),
)
