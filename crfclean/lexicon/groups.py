"""Nothing -> the names of groups of words, in the order of the columns made of them."""

from __future__ import annotations

PHRASE_GROUPS = tuple("related comments share legal subscribe byline navigate ad tags".split())
"""Groups of `Language.phrases`. Their order is that of columns, and the first that fits counts."""

FIELD_GROUPS = tuple("posted joined posts place action edited page rank".split())
"""Groups of `ForumWords.fields`; of a word that two have, the later one counts."""

PATH_GROUPS = tuple("article forum product collection listing documentation service".split())
HOST_GROUPS = tuple("documentation forum article product".split())
TITLE_GROUPS = tuple("documentation forum product listing service article".split())
TEXT_GROUPS = tuple("cart reply offer docs read results faq posted ago review first you we".split())
"""Groups of `PageTypeWords`, in the order of figures."""
