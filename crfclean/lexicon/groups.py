"""Names of the groups of words, in the order of the columns that are made of them."""

from __future__ import annotations

PHRASE_GROUPS = tuple("related comments share legal subscribe byline navigate ad tags".split())
"""Groups of `Language.phrases`; of several that match a text the first counts."""

KIND_GROUPS = tuple("teaser promo notice legal".split())
"""Groups of `Language.kind_phrases`, the kinds of blocks that begin so."""

NOTICE_GROUPS = tuple("script consent paywall login error".split())
"""Groups of `Language.notices`."""

FIELD_GROUPS = tuple("posted joined posts place action edited page rank".split())
"""Groups of `ForumWords.fields`; a word of two groups belongs to the later one."""

PATH_GROUPS = tuple("article forum product collection listing documentation service".split())
HOST_GROUPS = tuple("documentation forum article product".split())
TITLE_GROUPS = tuple("documentation forum product listing service article".split())
TEXT_GROUPS = tuple("cart reply offer docs read results faq posted ago review first you we".split())
"""Groups of `PageTypeWords`, in the order of the figures of a page's type."""
