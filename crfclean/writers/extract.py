"""The text of one page, in one call."""

from __future__ import annotations

from pathlib import Path

from crfclean.page.limits import MAX_BLOCKS
from crfclean.pipeline import as_tagger, clean
from crfclean.taggers.comments import with_comments
from crfclean.types import Tagger
from crfclean.types.choices import AUTO
from crfclean.writers.formats import write


def extract(  # noqa: PLR0913
    html: bytes | str,
    url: str | None = None,
    model: str | Path | Tagger = "default",
    *,
    as_: str = AUTO,
    format: str = "txt",  # noqa: A002 - the word of the command line
    comments: str = "",
    max_blocks: int | None = MAX_BLOCKS,
) -> str:
    """The main text of one page, "" if it has none.

    Each block is a line; code, poems and addresses keep the lines that they have.

    `format` is "txt", "md", "json", "jsonl", "html", "tei" or "vert". `comments` are kept in the
    text ("keep"), set apart ("separate", as far as the format can) or left out ("drop"); by default
    the tagger decides: kept on threads, left out on articles. The other parameters are those of
    `clean`, which returns the page's blocks and says why a text is empty. Raises `CrfcleanError`
    for an unknown word, `ModelError` for a bad model, `TypeError` for anything but bytes and text.

    >>> extract("<html><body></body></html>")
    ''
    """
    tagger = as_tagger(model)
    document = clean(html, url, tagger, as_=as_, max_blocks=max_blocks)
    if comments:
        document = with_comments(document, tagger, comments)
    return document.text if format == "txt" else write(document, format)
