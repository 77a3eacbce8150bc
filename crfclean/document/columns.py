"""The columns of a row: one table for JSON, JSONL, CSV, Parquet and other libraries."""

from __future__ import annotations

from itertools import chain
from typing import NamedTuple

from crfclean.document.parts import Show

ROW_VERSION = 2
"""Version of the columns; a run with another version is not resumed."""


class RowColumn(NamedTuple):
    """A column: its name, its type (`text`, `texts`, `number` or `flag`), and what it holds.

    `texts` is a list of texts, [] for none; the others are null if nothing is known. A column of
    the input may also be a `count`, an integer, or a `real`, a number with all its digits.
    """

    name: str
    type: str
    about: str = ""


ROW_COLUMNS = (
    RowColumn("id", "text", "id of the record, or path or URL of the page"),
    RowColumn("url", "text", "the address that was given, else the one that the page declares"),
    RowColumn("url_from", "text", "`input` for a given address, `page` for a declared one"),
    RowColumn("title", "text", "title of the text; without one, the text of the element `title`"),
    RowColumn("authors", "texts", "names of the authors"),
    RowColumn("published", "text", "date of publication (ISO 8601), as precise as the page has it"),
    RowColumn("modified", "text", "date of the last change (ISO 8601)"),
    RowColumn("crawled", "text", "date of the crawl, as the record has it"),
    RowColumn("language", "text", "language of the text (BCP 47)"),
    RowColumn("site", "text", "name of the site"),
    RowColumn("description", "text", "description that the page declares"),
    RowColumn("tags", "texts", "tags and keywords"),
    RowColumn("page_type", "text", "type of the page, such as `article`"),
    RowColumn("text", "text", "the text, a block a line; code, poems and addresses have several"),
    RowColumn("comments", "text", "readers' comments, if they are kept separately"),
    RowColumn("score", "number", "expected F1 of the text on words (0..1)"),
    RowColumn("presence", "text", "place of the page's content, such as `visible`"),
    RowColumn("presence_reason", "text", "reason why the content is missing, such as `login`"),
    RowColumn("status", "text", "`ok`, or what became of the page"),
    RowColumn("message", "text", "reason why the page failed, has no text or is left out"),
    RowColumn("truncated", "text", "reasons why the page was cut short, separated by commas"),
    RowColumn("encoding", "text", "encoding of the page by its name on the web; null for a text"),
    RowColumn("encoding_guessed", "flag", "true if the encoding was guessed"),
    RowColumn(
        "source", "text", "source of a text that is not the visible page's, such as `hidden`"
    ),
    RowColumn("input", "text", "file of many pages that had the page"),
    RowColumn("model", "text", "fingerprint of the model and its decisions"),
    RowColumn("duplicate_of", "text", "earlier page with the same text, if this one is left out"),
)
"""The columns that each row has, in order."""

ROW_NAMES = tuple(column.name for column in ROW_COLUMNS)

_BLOCKS = ("blocks", "comment_blocks", "thread", "end", "rules")

SWITCHED_COLUMNS = {
    "blocks": _BLOCKS,
    "evidence": ("evidence",),
    "levels": ("levels",),
    "left_out": (*_BLOCKS, "left_out"),
    "site_places": ("site_places",),
    "parts": ("content", "comments_content"),
}
"""Switch of `Show` -> the nested columns that it adds to a row."""


class AddedColumns(NamedTuple):
    """The columns of a row besides `ROW_COLUMNS`: nested ones, and those carried from the input."""

    nested: tuple[str, ...] = ()
    carried: tuple[RowColumn, ...] = ()


def added_columns(show: Show) -> tuple[str, ...]:
    """Return the nested columns that switches add to a row.

    >>> added_columns(Show(evidence=True, levels=True))
    ('evidence', 'levels')
    """
    groups = (names for switch, names in SWITCHED_COLUMNS.items() if getattr(show, switch))
    return tuple(dict.fromkeys(chain.from_iterable(groups)))
