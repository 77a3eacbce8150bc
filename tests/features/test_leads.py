"""Tests of `features/leads.py`."""

from __future__ import annotations

import pytest

from crfclean.features.zones import _MAX_LEAD_WORDS, _MIN_LEAD_WORDS, kinds_of
from crfclean.page.blocks import split
from crfclean.types import Kind, Page

LEAD = "Nobody in the village slept well last night."
BODY = "<p>" + "The river rose again this morning, and the pumps failed. " * 4 + "</p>"
H1 = "<h1>The river rose</h1>"
META = f"<meta name=description content='{LEAD}'>"


def leads(html: str) -> list[int]:
    """The blocks that are a standfirst."""
    page = split(Page("<title>The river rose</title>" + html))
    return [index for index, kind in enumerate(kinds_of(page)) if kind == Kind.LEAD]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (f"{H1}<p class=standfirst>{LEAD}</p>{BODY}", [1]),
        (f"{H1}<h2 class=deck>{LEAD}</h2>{BODY}", [1]),  # a heading, too
        (f"{H1}<div class=article__lead><p>{LEAD}</p><p>{LEAD}</p></div>{BODY}", [1, 2]),
        (f"{H1}<p itemprop=description>{LEAD}</p>{BODY}", [1]),
        (f"{META}{H1}<p>{LEAD}</p>{BODY}", [1]),
        (f"{META}{H1}<p>{LEAD} And so on.</p>{BODY}", []),
        (f"{META}{H1}{BODY}<p>{LEAD}</p>{BODY}", []),  # after the first paragraph
        (f"{META}<p>{LEAD}</p>{H1}{BODY}", []),  # before the main heading
        (f"{META}{H1}<p>{LEAD}</p>", []),  # nothing follows: it is the body
        (f"{META}{H1}<ul><li>{LEAD}</ul>{BODY}", []),
        (f"{H1}<div class=summary>{BODY}</div>", []),  # all that there is
        (f"{H1}<div class=intro>{BODY * 4}</div>{BODY * 9}", []),  # too long
        (f"<div class=lead>{H1}<p>{LEAD}</p>{BODY}</div>", []),  # holds the main heading
        (f"{H1}<p><span class=lead>{LEAD}</span></p>{BODY}", []),  # inline
        (f"{H1}<p class=lead>{'so ' * (_MIN_LEAD_WORDS - 1)}</p>{BODY}", []),
        (f"{H1}<p class=lead>{'so ' * _MAX_LEAD_WORDS}</p>{BODY}", [1]),
        (f"{H1}<p class=lead>{'so ' * (_MAX_LEAD_WORDS + 1)}</p>{BODY}", []),
        (f"<p class=lead>{LEAD}</p>", []),
    ],
)
def test_standfirsts(html: str, expected: list[int]) -> None:
    assert leads(html) == expected
