"""Names of the groups of words, in the order of their columns."""

from __future__ import annotations

PHRASE_GROUPS = tuple("related comments share legal subscribe byline navigate ad tags".split())
"""Groups of `Language.phrases`; if several match a text, the first counts."""

KIND_GROUPS = tuple("teaser promo notice legal".split())
"""Groups of `Language.kind_phrases`: kinds of blocks that begin with their phrases."""

NOTICE_GROUPS = tuple("script consent paywall login error wall blocked gone".split())
"""Groups of `Language.notices`.

A page may show a phrase of `login` beside its content ("forgot your password"), but hardly one of
`wall` ("log in to read"), `blocked` ("too many requests") and `gone` ("page you requested").
"""

SCRAP_GROUPS = tuple("loading mailing service".split())
"""Groups of `Language.scraps`: lines in place of a box that is not loaded, lines at the end of a
mailing, and notices of the service that shows the page."""

FIELD_GROUPS = tuple("posted joined posts place action edited page rank".split())
"""Groups of `ForumWords.fields`; a word of two groups belongs to the later group."""

PATH_GROUPS = tuple("article forum product collection listing documentation service form".split())
HOST_GROUPS = tuple("documentation forum article product".split())
TITLE_GROUPS = tuple("documentation forum product listing service article".split())
TEXT_GROUPS = tuple("cart reply offer docs read results faq posted ago review first you we".split())
"""Groups of `PageTypeWords`, in the order of the figures of a page's type."""
