"""Write the text of a page, or say in words why it has none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from crfclean.document.columns import added_columns
from crfclean.document.formats import WRITERS, writer
from crfclean.document.parts import DEFAULT_SHOW, Show
from crfclean.page.limits import MAX_BLOCKS, MAX_DEPTH, MAX_NODES
from crfclean.systems.capabilities import Decides, capability
from crfclean.types import Document, Presence, Tagger

OK = "ok"

FAILED = "failed"
"""Status of a page that could not be read or written; the message says why."""

LOW_SCORE = "low-score"
"""Status of a page that is not written because its score is too low."""

OVER_BLOCKS = "over-blocks"
"""Status of a page with more blocks than the limits allow."""

WITHOUT_TEXT = frozenset(["no-blocks", "nothing-kept", "below-precision", "no-posts"])
"""Statuses of pages in which nothing was found."""

PLAIN = frozenset(["txt", "md", "html"])
"""Formats of texts that carry no metadata."""

WITH_STATUS = frozenset(["json", "jsonl"])
"""Formats that say why there is no text; in the others, a page without text gets no file."""

CUT_RESPONSE = "http"
"""Why a page is cut: its HTTP response ended early."""

TRUNCATIONS = {
    "bytes": "only its first bytes were read (--max-bytes)",
    "gzip": "damaged gzip data: only what stands before the damage was read",
    CUT_RESPONSE: "its HTTP response ended early: only what the crawler got was read",
    "depth": f"elements below {MAX_DEPTH} levels were dissolved; their text is kept",
    "nodes": f"only the first {MAX_NODES:,} elements were read",
}
"""Reason why a page was cut short -> the message about it."""

NEEDS_SCRIPT = "needs-script"
"""Reason of a `Presence` whose page fetches its text."""

_REASONS = {
    "empty": "the file is empty",
    "binary": "binary data, no page",
    "not-html": "no HTML",
    "feed": "a feed (RSS, Atom or JSON Feed), not a page",
    "gzip-error": "damaged gzip data",
    "mhtml-error": "damaged web archive (MHTML): there is no page in it",
    "no-blocks": "the page shows no text",
    "nothing-kept": "no paragraph was kept",
    "below-precision": "no choice of blocks has an expected precision of {precision:g}",
}


@dataclass(frozen=True, slots=True)
class TextWriter:
    """The text of a page in a format of the door, and the rows of `clean`."""

    format: str = "txt"
    show: Show = DEFAULT_SHOW

    @property
    def options(self) -> Mapping[str, Any]:
        """The options that rows depend on."""
        return {"command": "clean", "show": asdict(self.show)}

    @property
    def columns(self) -> tuple[str, ...]:
        """The nested columns that rows have besides those of `columns.ROW_COLUMNS`."""
        return added_columns(self.show)

    def prepare(self, *, rows: bool) -> None:
        """Open the models of metadata if metadata is written."""
        has_metadata = self.show.metadata and (rows or self.format not in PLAIN)
        if has_metadata or (self.show.front_matter and self.format == "md"):
            from crfclean.metadata.read import open_models

            open_models()

    def is_empty(self, document: Document) -> bool:
        """Return whether no text is left, e.g. after `--no-tables`."""
        texts = document.blocks.texts
        if self.show.all_text and any(texts[block].strip() for block in document.kept):
            return False
        return not WRITERS["txt"](document, self.show).strip()

    def write(self, document: Document, page_id: str = "", extra: Mapping[str, str] = {}) -> str:
        """Return the text of a page; preverticals and the header of Markdown name the page.

        `extra` are values of the input, for formats of `formats.CARRYING`.
        """
        return writer(self.format)(document, self.show, page_id, extra)

    def row(self, document: Document, facts: Mapping[str, Any]) -> bytes:
        """Return the row of a page."""
        from crfclean.document.json import to_row

        return to_row(document, self.show, **facts)


def too_many_blocks(most: int) -> str:
    """Return the message about a page with more than `most` blocks."""
    return f"more than {most:,} blocks; raise the limit with --max-blocks"


def text_status(
    document: Document, tagger: Tagger, min_score: float = 0.0, max_blocks: int = MAX_BLOCKS
) -> tuple[str, str]:
    """Return the status of a page, and why it has no text or is not written ("" if it is)."""
    status = document.status
    if status == OVER_BLOCKS:
        return status, too_many_blocks(max_blocks)
    if status != OK:
        decides = capability(tagger, Decides)
        precision = 0.0 if decides is None else decides.cut.precision
        absent = _absence(document.presence, status)
        return status, absent or _REASONS.get(status, "").format(precision=precision)
    if document.score < min_score:
        return LOW_SCORE, f"its score {document.score:.4f} is below {min_score:g}"
    return OK, ""


def _absence(presence: Presence | None, status: str) -> str:
    """Return why a page has no text, "" if its presence does not say more than its status."""
    if presence is None or status not in {"no-blocks", "nothing-kept"}:
        return ""
    if presence.frame:
        return f"no text in the HTML: the page shows {presence.frame}"
    if presence.reason == NEEDS_SCRIPT:
        return "no text in the HTML: the page needs JavaScript"
    says_more = status == "nothing-kept" and presence.reason not in {"", "empty"}
    return f"the page has no text of its own ({presence.reason})" * says_more


def outcome_of(status: str) -> str:
    """Return the outcome of a page by its status: "ok", "without" text, "low-score" or "failed"."""
    if status in {OK, LOW_SCORE}:
        return status
    return "without" if status in WITHOUT_TEXT else FAILED


@dataclass(frozen=True, slots=True)
class PageText:
    """The text of a page, None if nothing is written, and what is said of it.

    `status` and `message` say why there is no text, `truncated` why it is cut; `score` is the
    expected F1, and `where` the place of the page's content (see `Presence`). `unmatched` are the
    selectors that name no element.
    """

    status: str
    message: str = ""
    truncated: str = ""
    text: str | None = None
    score: float = 0.0
    where: str = ""
    encoding_guessed: bool = False
    unmatched: tuple[str, ...] = ()


def page_text(
    document: Document, tagger: Tagger, to_text: TextWriter, min_score: float, page_id: str
) -> PageText:
    """Write a cleaned page; a page without text gets a text only in formats that say why."""
    is_empty = to_text.is_empty(document)
    if document.status == OK and is_empty:
        document = replace(document, status="nothing-kept")
    status, message = text_status(document, tagger, min_score)
    is_low = status == LOW_SCORE or document.score < min_score
    has_file = not is_empty or to_text.format in WITH_STATUS
    is_written = has_file and not is_low and outcome_of(status) != FAILED
    return PageText(
        status,
        message,
        document.truncated,
        to_text.write(document, page_id) if is_written else None,
        document.score,
        document.presence.where if document.presence else "",
        document.encoding_guessed,
        document.tags.unmatched,
    )
