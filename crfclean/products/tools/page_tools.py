"""Tools that answer questions about a web page, in a worker process.

`products.tools.mcp` offers them to language models. Answers are JSON values of bounded size.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any, cast

from crfclean.citations import find as find_citation
from crfclean.decision.rules import CutChoice
from crfclean.document.block_types import block_types
from crfclean.document.content import content
from crfclean.document.formats import WRITERS
from crfclean.document.phrases import in_words
from crfclean.page.decode import decode
from crfclean.pipeline import as_tagger, run
from crfclean.products.corpus.params import TaskLimits
from crfclean.products.corpus.pool import Pool
from crfclean.products.corpus.records import fetch_module
from crfclean.products.corpus.tasks import Lost
from crfclean.systems.capabilities import Explains, need, with_choice
from crfclean.types import CrfcleanError, Document, Tagger
from crfclean.types.choices import AUTO

MAX_PAGE = 10_000_000  # characters of HTML, or bytes of a file
MAX_ANSWER_TEXT = 100_000  # characters of an answer
_MAX_BLOCKS = 400  # blocks of an answer
_MAX_LINE = 120  # characters of a block in an outline
_MAX_REASONS = 30  # of a block, before they are put into words

ToolAnswer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ToolParams:
    """The model, and the pages that may be read besides HTML in a question.

    `folder` is the directory whose files may be named (None: no files); `fetches` allows URLs.
    """

    model: str = "default"
    folder: Path | None = None
    fetches: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """A call of a tool."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass
class PageTools:
    """The tools; a page is HTML or, if allowed, a file of the directory or a URL."""

    params: ToolParams = field(default_factory=ToolParams)
    _last: tuple[str, str, Document] | None = None
    """The page, the convention and the document of the last question."""

    def prepare(self, _: Question) -> None:
        """Open the model; the time of a question is counted from then on. Raises `ModelError`."""
        as_tagger(self.params.model)

    def clean(self, page: str, format: str = "md", convention: str = AUTO) -> ToolAnswer:  # noqa: A002
        """The main text of a web page, without menus, teasers and other boilerplate.

        `page` is the HTML of a page, or a file name or URL if this server allows them. `format` is
        md, txt or html; `convention` says what belongs to the text: auto, article, body, page,
        thread or everything.
        """
        if format not in {"md", "txt", "html"}:
            raise CrfcleanError(f"no format {format!r}; there are md, txt, html")
        document = self.document(page, convention)
        text = WRITERS[format](document)
        facts = {"is_cut": len(text) > MAX_ANSWER_TEXT, "text": text[:MAX_ANSWER_TEXT]}
        return {"title": document.page_blocks.title, **_score(document), **facts}

    def outline(self, page: str) -> ToolAnswer:
        """What the text of a web page consists of: its blocks in order, with kinds and XPaths.

        `page` is as in clean. Each block has the beginning of its text; headings have a level.
        """
        document = self.document(page)
        types = block_types(content(document, has_texts=False))
        rows = []
        for index in document.kept[:_MAX_BLOCKS]:
            facts = types[index].facts if index in types else {}
            level = {"level": facts["level"]} if facts.get("level") else {}
            row = _row(document, index)
            rows.append(row | level | {"text": row["text"][:_MAX_LINE]})
        return {"is_cut": len(document.kept) > _MAX_BLOCKS, "blocks": rows}

    def block(self, page: str, xpath: str) -> ToolAnswer:
        """The blocks of a web page at an XPath or inside it, whether they are kept or not.

        `page` is as in clean, `xpath` as in outline: /html[1]/body[1]/p[2].
        """
        document = self.document(page)
        indices = _at(document, xpath)
        rows, size = [], 0
        for index in indices[:_MAX_BLOCKS]:
            row = _row(document, index)
            size += len(row["text"])
            if size > MAX_ANSWER_TEXT:
                break
            rows.append(row)
        return {"is_cut": len(rows) < len(indices), "blocks": rows}

    def why(self, page: str, xpath: str) -> ToolAnswer:
        """Why the blocks at an XPath of a web page were kept or left out, in words.

        `page` and `xpath` are as in block. `because` speaks for the decision, `but` against it.
        """
        document = self.document(page)
        reasons = need(self._tagger(AUTO), Explains, "why").explain(document.blocks, _MAX_REASONS)
        rows = []
        indices = _at(document, xpath)
        for index in indices[:_MAX_BLOCKS]:
            row = _row(document, index)
            words = in_words(reasons[index], kept=row["is_kept"])
            said = {"because": list(words.because), "but": list(words.but)}
            rows.append(row | {"text": row["text"][:_MAX_LINE]} | said)
        return {"is_cut": len(indices) > _MAX_BLOCKS, "blocks": rows}

    def score(self, page: str) -> ToolAnswer:
        """How well the main text of a web page can be told: its expected F1 on words, 0 to 1.

        `page` is as in clean.
        """
        return _score(self.document(page))

    def has_content(self, page: str) -> ToolAnswer:
        """Whether the content of a web page is in its HTML at all, and if not, why.

        `page` is as in clean. `where` is visible, hidden, carried (only in structured data) or
        not-in-this-html; the `reason` for the last is framed, blocked, error-page, login, paywall,
        consent, needs-script or empty. `frame` is the address of the page that is framed.
        """
        document = self.document(page)
        presence = None if document.presence is None else document.presence._asdict()
        return {"status": document.status, "presence": presence}

    def find_quote(self, page: str, quote: str) -> ToolAnswer:
        """Where a web page says something, as it is quoted or with some words changed.

        `page` is as in clean. The citation has the page's words, XPaths, and a link that highlights
        them in browsers; it is null if the page does not say it.
        """
        citation = find_citation(self.document(page), quote)
        return {"citation": None if citation is None else dict(citation.to_dict())}

    def document(self, page: str, convention: str = AUTO) -> Document:
        """Return the document of a page; keep it for the next question. Raises `CrfcleanError`."""
        if self._last is None or self._last[:2] != (page, convention):
            data, url = self._read(page)
            document = run(decode(data, url), self._tagger(convention))
            self._last = page, convention, document
        return self._last[2]

    def _tagger(self, convention: str) -> Tagger:
        return with_choice(as_tagger(self.params.model), CutChoice(convention))

    def _read(self, page: str) -> tuple[bytes | str, str | None]:
        """Return the HTML of a page and its address; raises `CrfcleanError` if not allowed."""
        if len(page) > MAX_PAGE:
            raise CrfcleanError(f"a page of more than {MAX_PAGE:,} characters")
        if page.startswith(("http://", "https://")):
            if not self.params.fetches:
                raise CrfcleanError("URLs are not fetched: start the server with --allow-fetch")
            fetched = fetch_module().fetch(page)
            return fetched.data, fetched.url
        if "<" in page:
            return page, None
        return self._file(page), None

    def _file(self, name: str) -> bytes:
        """A file of the directory; raises `CrfcleanError` for any other."""
        folder = self.params.folder
        if folder is None:
            raise CrfcleanError("this is no HTML, and files are read only with --pages DIR")
        try:
            path = (folder / name).resolve()
            if not path.is_relative_to(folder.resolve()):
                raise CrfcleanError(f"{name!r} is not in the directory of pages")
            with path.open("rb") as file:
                data = file.read(MAX_PAGE + 1)
        except (OSError, ValueError) as error:
            raise CrfcleanError(f"{name!r} cannot be read") from error
        if len(data) > MAX_PAGE:
            raise CrfcleanError(f"{name!r} has more than {MAX_PAGE:,} bytes")
        return data


def _score(document: Document) -> ToolAnswer:
    return {
        "status": document.status,
        "score": round(document.score, 4),
        "blocks": len(document.blocks),
        "kept": len(document.kept),
    }


def _row(document: Document, index: int) -> ToolAnswer:
    block, tag = document.blocks[index], document.tags[index]
    return {
        "xpath": block.xpath,
        "kind": document.kinds[index].name.lower(),
        "is_kept": bool(document.tags.kept[index]),
        "probability": round(tag.probability, 4),
        "text": block.text,
    }


def _at(document: Document, xpath: str) -> list[int]:
    """The blocks whose element is at an XPath or inside it; raises `CrfcleanError` for none."""
    xpath = xpath.rstrip("/")
    indices = [
        block.index
        for block in document.blocks
        if block.xpath == xpath or block.xpath.startswith(f"{xpath}/")
    ]
    if not indices or not xpath:
        raise CrfcleanError(f"no block at {xpath!r}: outline has the XPaths")
    return indices


def tools(pages: PageTools) -> Mapping[str, Any]:
    """Name of a tool -> its function."""
    names = "clean outline block why score has_content find_quote".split()
    return {name: getattr(pages, name) for name in names}


class ToolWorker:
    """A worker process that answers one question at a time; the first question starts it."""

    def __init__(self, params: ToolParams, limits: TaskLimits = TaskLimits()) -> None:
        self._pages, self._pool, self._lock = PageTools(params), Pool(1, limits), Lock()

    def ask(self, question: Question) -> ToolAnswer:
        """Return the answer; call it from any thread. Raises `CrfcleanError` without an answer."""
        with self._lock:
            answer = self._pool.run(answer_question, question, self._pages)
        if isinstance(answer, Lost):
            raise CrfcleanError(answer.message)
        return cast("ToolAnswer", answer)

    def close(self) -> None:
        """End the process, even during a question."""
        self._pool.stop()
        self._pool.close()


def answer_question(question: Question, pages: PageTools) -> ToolAnswer | Lost:
    """Return the answer of a tool in the worker process, which survives an error."""
    try:
        answer: ToolAnswer = tools(pages)[question.tool](**question.arguments)
    except CrfcleanError as error:
        return Lost("refused", str(error))
    return answer
