"""The operation that cleans pages: which pages it writes, and in which form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from crfclean._version import __version__
from crfclean.decision.verdict import ruled_words
from crfclean.document.columns import ROW_VERSION, AddedColumns, RowColumn
from crfclean.document.page_text import (
    OK,
    WITH_STATUS,
    TextWriter,
    text_status,
)
from crfclean.page.blocks import bounded
from crfclean.page.decode import decode
from crfclean.page.site import text_keys
from crfclean.pipeline import lost_document, run, split_params
from crfclean.products.corpus.job import Job
from crfclean.products.corpus.jobs import FILTERED, UNWRITTEN, PageInput, Result
from crfclean.products.corpus.output_names import url_stem
from crfclean.products.corpus.params import Fields, PageLimits
from crfclean.products.corpus.records import Record
from crfclean.products.corpus.rows import plain_cell
from crfclean.products.corpus.texts import text_form, text_line
from crfclean.systems.capabilities import fingerprint
from crfclean.types import CrfcleanError, Document, Tagger
from crfclean.types.choices import PAGE_TYPES

if TYPE_CHECKING:
    from crfclean.products.corpus.duplicates import Signer
    from crfclean.products.corpus.parts import CorpusPart


class PageWriter(Protocol):
    """Writes a cleaned page: as its own file, or as a row of a corpus."""

    @property
    def format(self) -> str:
        """The format of a page's own file."""

    @property
    def options(self) -> Mapping[str, Any]:
        """The options that rows depend on, as JSON values."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The nested columns of rows."""

    def prepare(self, *, rows: bool) -> None:
        """Open the models that texts, or rows, need."""

    def is_empty(self, document: Document) -> bool:
        """Return whether a page has no text to write."""

    def write(self, document: Document, page_id: str = "", extra: Mapping[str, str] = {}) -> str:
        """Return the text of a page's own file.

        `page_id` is the `id` that its row would have, and `extra` are the texts of carried columns.
        """

    def row(self, document: Document, facts: Mapping[str, Any]) -> bytes:
        """Return a line of JSON; `facts` are columns that the run knows, as `id`."""


@dataclass(frozen=True, slots=True)
class PageFilter:
    """The conditions of pages that are written; () and 0 leave no page out.

    `languages` are BCP 47 tags ("cs", also "cs-CZ"); `page_types` are names of `PAGE_TYPES`. A text
    must have at least `min_words` words; in scripts without spaces each character counts as a word.
    `requires_content` leaves out pages whose content is not in their text: bot checks, walls, error
    pages, frames, pages that need scripts, or have it in their data. Raises `CrfcleanError` for an
    unknown language or type.
    """

    languages: tuple[str, ...] = ()
    page_types: tuple[str, ...] = ()
    min_words: int = 0
    requires_content: bool = False

    def __post_init__(self) -> None:
        if self.languages:
            from crfclean.metadata.language_tags import tag_of
        for name in self.languages:
            if not tag_of(name):
                raise CrfcleanError(f"no language {name!r}: expected a tag such as cs or pt-BR")
        for name in self.page_types:
            if name not in PAGE_TYPES:
                raise CrfcleanError(f"no type of pages {name!r}; there are {', '.join(PAGE_TYPES)}")

    @property
    def options(self) -> dict[str, Any]:
        """The conditions that leave pages out; empty if no page is left out."""
        return {name: value for name, value in asdict(self).items() if value}

    def refusal(self, document: Document) -> str:
        """Return the reason to leave out a page with text, "" if it is written."""
        checks = self._absent, self._short, self._other_type, self._foreign
        return next(filter(None, (check(document) for check in checks)), "")

    def _absent(self, document: Document) -> str:
        if not (self.requires_content and document.lacks_content and document.presence):
            return ""
        reason = f"{document.presence.reason} {document.presence.frame}".strip()
        where = f"not in the HTML ({reason})" if reason else "only in its structured data"
        return f"its content is {where}"

    def _short(self, document: Document) -> str:
        if not self.min_words:
            return ""
        from crfclean.page.align import tokens

        count = len(tokens(document.text))
        return f"{count} words, fewer than {self.min_words}" if count < self.min_words else ""

    def _other_type(self, document: Document) -> str:
        if not self.page_types:
            return ""
        from crfclean.model.pagetype import page_type

        has = page_type(document)
        return "" if has and has.name in self.page_types else f"its type is {has and has.name}"

    def _foreign(self, document: Document) -> str:
        if not self.languages:
            return ""
        from crfclean.metadata.language import language
        from crfclean.metadata.language_tags import language_of, tag_of

        has = language(document)
        if has is None:
            return "its language is not known"
        chosen = {language_of(tag_of(name)) for name in self.languages}
        return "" if language_of(has.text) in chosen else f"its language is {has.text}"


@dataclass(frozen=True, slots=True)
class BatchParams:
    """The parameters of cleaning; an `Operation`.

    Pages with a score below `min_score` (0..1) and pages that `page_filter` refuses are not
    written. `comments` is a mode of `with_comments`; "" leaves the choice to the tagger. Of pages
    with equal signatures by the `signer`, one is written. `by_site` compares the texts of all pages
    of a site. Rows and texts have the columns of the input that are `carried`.
    """

    tagger: Tagger
    writer: PageWriter = field(default_factory=TextWriter)
    min_score: float = 0.0
    limits: PageLimits = field(default_factory=PageLimits)
    fields: Fields = field(default_factory=Fields)
    comments: str = ""
    page_filter: PageFilter = field(default_factory=PageFilter)
    signer: Signer | None = None
    by_site: bool = False
    carried: tuple[RowColumn, ...] = ()

    @property
    def site_pages(self) -> int:
        """Each page is a task of its own."""
        return 1

    @property
    def model(self) -> str | None:
        """The fingerprint of the tagger's model and decisions; None if it has none.

        A caller that resumes a run with a tagger without a fingerprint must pass the same tagger.
        """
        return fingerprint(self.tagger) or None

    @property
    def columns(self) -> AddedColumns:
        """The columns of rows besides `ROW_COLUMNS`."""
        return AddedColumns(self.writer.columns, self.carried)

    @property
    def options(self) -> Mapping[str, Any]:
        """The options that rows depend on."""
        return {
            "version": __version__,
            "row": ROW_VERSION,
            "model": self.model,
            "min_score": self.min_score,
            "comments": self.comments,
            "page_filter": self.page_filter.options,
            "duplicates": self.signer.options if self.signer else {},
            "by_site": self.by_site,
            "carry": [f"{column.name} ({column.type})" for column in self.carried],
            **self.writer.options,
        }

    def prepare(self, item: CorpusPart | tuple[PageInput, ...]) -> None:
        """Open the models that the writer needs."""
        shards = (each.job.shard for each in item) if isinstance(item, tuple) else [item.ending]
        self.writer.prepare(rows=any(shard and not text_form(shard) for shard in shards))

    def make(self, inputs: Sequence[PageInput]) -> Sequence[Result]:
        """Clean each page by itself."""
        return [_result(each.job, each.record, self) for each in inputs]

    def site_texts(self, record: Record) -> tuple[str, Sequence[int]]:
        """Return the title of a page, and the keys of its blocks' texts."""
        page = decode(record.data, record.url, record.charset, self.limits.max_bytes)
        blocks = bounded(page, split_params(self.tagger), self.limits.max_blocks)[1]
        return blocks.title, text_keys(blocks)

    def lost_row(self, record: Record, status: str, message: str) -> bytes:
        """Return the row of a page without blocks."""
        lost = replace(lost_document(record.url, status), truncated=record.truncated)
        return _row(record, lost, message, self)


def _result(job: Job, record: Record, params: BatchParams) -> Result:
    """Clean a page; the status of a page without text says so, whatever its score is."""
    document = _document(record, params)
    is_empty = params.writer.is_empty(document)
    if document.status == OK and is_empty:
        document = replace(document, status="nothing-kept")
    status, message = _status(document, params)
    result = Result(
        job,
        status,
        message,
        document.truncated,
        score=document.score,
        where=document.presence.where if document.presence else "",
        encoding_guessed=document.encoding_guessed,
        repeats=params.by_site and "site" in ruled_words(document),
        unmatched=document.tags.unmatched,
    )
    signer = params.signer if status == OK else None
    if job.shard and not text_form(job.shard):
        line = b"" if status in UNWRITTEN else _row(record, document, message, params)
        signature = signer.of_row(line) if signer else b""
        return replace(result, record=record.id, line=line, signature=signature)
    has_no_file = is_empty and params.writer.format not in WITH_STATUS
    is_low = status in UNWRITTEN or document.score < params.min_score
    if job.shard:
        result = replace(result, record=record.id)
    if is_low or result.failed or has_no_file:
        return result
    text = params.writer.write(document, record.id, _texts(record, params))
    signature = signer.of_text(text) if signer else b""
    if job.shard:
        return replace(result, line=text_line(_name(record), text), signature=signature)
    return replace(result, text=text, signature=signature)


def _name(record: Record) -> str:
    """Return a name for the own file of a record's page, which need not be the only one."""
    return url_stem(record.url or record.id, query=True)


def _status(document: Document, params: BatchParams) -> tuple[str, str]:
    limits = params.limits
    status, message = text_status(document, params.tagger, params.min_score, limits.max_blocks)
    refusal = params.page_filter.refusal(document) if status == OK else ""
    return (FILTERED, refusal) if refusal else (status, message)


def _document(record: Record, params: BatchParams) -> Document:
    """Decode a page and clean it."""
    limits = params.limits
    page = decode(record.data, record.url, record.charset, limits.max_bytes)
    page = replace(page, repeated=record.repeated)
    document = run(page, params.tagger, limits.max_blocks)
    document = replace(document, truncated=record.cuts(document.truncated))
    if params.comments:
        from crfclean.systems.comments import with_comments

        document = with_comments(document, params.tagger, params.comments)
    return document


def _texts(record: Record, params: BatchParams) -> dict[str, str]:
    """Return the values of the carried columns that have one, as texts."""
    values = {column.name: record.carried(column.name) for column in params.carried}
    return {name: plain_cell(value) for name, value in values.items() if value is not None}


def _row(record: Record, document: Document, message: str, params: BatchParams) -> bytes:
    facts = {
        "id": record.id,
        "crawled": record.crawled or None,
        "message": message,
        "input": record.file or None,
        "model": params.model,
        **{column.name: record.carried(column.name) for column in params.carried},
    }
    return params.writer.row(document, facts)
