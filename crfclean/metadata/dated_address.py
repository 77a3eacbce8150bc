"""The date in a page's address."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

from crfclean.metadata.candidates import Candidate
from crfclean.metadata.dates import iso_date

# "/2024/05/07/tea", "/2024-05/tea"
_PATH = re.compile(r"/((?:19|20)\d\d)[/-](\d{1,2})(?:[/-](\d{1,2}))?(?=[/_.+ -]|$)")
# "/tea-20240507.html"; "/1234567890" is no date
_PATH_DIGITS = re.compile(r"(?<!\d)((?:19|20)\d\d)-?([01]\d)-?([0-3]\d)(?!\d)")


def address_candidates(address: str) -> Iterator[Candidate]:
    """The date in a page's address.

    >>> [date.texts for date in address_candidates("https://x.org/2024/05/07/tea")]
    [('2024-05-07',)]
    """
    try:
        path = unquote(urlsplit(address[:2_000]).path)
    except ValueError:
        return
    match = _PATH.search(path) or _PATH_DIGITS.search(path)
    if match:
        day = int(match[3]) if match[3] else None
        iso = iso_date(int(match[1]), int(match[2]), day)
        if iso:
            yield Candidate("published", (iso,), "url", "day" if day else "month")
