"""Send pages with a low score to a costly extractor: a command that reads HTML and prints text.

It runs in the worker process of the page: as many run at once as there are workers, the order of
the output is that of the pages, and a resumed run sends none twice. No shell takes part.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import numpy as np

from crfclean.types import CrfcleanError, Document, Label, Page, Tags
from crfclean.types.page import EXTRACTOR

if TYPE_CHECKING:  # a run without a fallback starts no process
    import subprocess

MAX_OUTPUT = 10_000_000  # bytes of text that are read: ten times the longest text of a page
_CHUNK = 65_536
_WITHOUT_TEXT = frozenset(["ok", "no-blocks", "nothing-kept", "below-precision"])
"""Statuses of pages that can be sent: those of pages that were read whole."""
OK, EMPTY, OVER_TIME, OVER_SIZE = "ok", "empty", "over-time", "over-size"


@dataclass(frozen=True, slots=True)
class FallbackParams:
    """The `command`, its words in order, () for none; `below` which score (0..1) it gets pages.

    It may take `seconds` for a page. Raises `CrfcleanError` for a command that is not there.
    """

    command: tuple[str, ...] = ()
    below: float = 0.7
    seconds: float = 30.0

    def __post_init__(self) -> None:
        if not self.command:
            return
        import shutil

        if shutil.which(self.command[0]) is None:
            raise CrfcleanError(f"--fallback: no command {self.command[0]!r}")

    @property
    def options(self) -> dict[str, Any]:
        """What texts depend on, as JSON has it; empty without a command."""
        if not self.command:
            return {}
        return {"command": list(self.command), "below": self.below, "seconds": self.seconds}


class Answer(NamedTuple):
    """What a command made of a page: `text` if the `status` is "ok".

    Else the status is "exit-3" (its exit code, or "exit--9" by a signal), "empty", "over-time",
    "over-size" or "not-run".
    """

    status: str
    text: str = ""


def with_fallback(document: Document, page: Page, params: FallbackParams) -> tuple[Document, str]:
    """The document, or that of the command's text if its score is too low; and how that ended.

    The latter is the `status` of an `Answer`, "" for a page that is not sent. A document of the
    command's text keeps the score for which it was sent.
    """
    low = document.score < params.below and document.status in _WITHOUT_TEXT
    if not params.command or not low:
        return document, ""
    answer = ask(page, params)
    if answer.status != OK:
        return document, answer.status
    return _document_of(answer.text, document), OK


def ask(page: Page, params: FallbackParams) -> Answer:
    """Give a page's HTML to the command, in UTF-8; its address is in CRFCLEAN_URL."""
    import subprocess
    import tempfile

    environment = {**os.environ, "CRFCLEAN_URL": page.url or ""}
    with tempfile.TemporaryFile() as html:
        html.write(page.html.encode("utf-8", "replace"))
        html.seek(0)
        try:
            process = subprocess.Popen(  # noqa: S603 - the user's own command, without a shell
                params.command,
                stdin=html,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment,
                start_new_session=True,
            )
        except OSError:
            return Answer("not-run")
        try:
            return _answer(process, params.seconds)
        finally:
            _end(process)


def _answer(process: subprocess.Popen[bytes], seconds: float) -> Answer:
    """What a process prints until it ends, within its limits."""
    import subprocess

    deadline = time.monotonic() + seconds
    if process.stdout is None:
        return Answer("not-run")
    data = _read(process.stdout, deadline)
    if data is None:
        return Answer(OVER_TIME)
    if len(data) > MAX_OUTPUT:
        return Answer(OVER_SIZE)
    try:
        code = process.wait(max(0.1, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return Answer(OVER_TIME)
    text = data.decode("utf-8", "replace")
    if code:
        return Answer(f"exit-{code}")
    return Answer(OK, text) if text.strip() else Answer(EMPTY)


def _read(stream: IO[bytes], deadline: float) -> bytes | None:
    """What a stream has until its end, or until it is too much; None if it is not over in time."""
    import selectors

    data = bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_READ)
        while len(data) <= MAX_OUTPUT:
            if not selector.select(max(0.0, deadline - time.monotonic())):
                return None
            chunk = os.read(stream.fileno(), _CHUNK)
            if not chunk:
                break
            data += chunk
    return bytes(data)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process, and those that it has started, if any still run."""
    if process.stdout is not None:
        process.stdout.close()
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _document_of(text: str, document: Document) -> Document:
    """The document of a text, a paragraph a line, on the page of another one."""
    from html import escape

    from crfclean.kinds.of_blocks import document_kinds
    from crfclean.page.blocks import split

    html = "".join(f"<p>{escape(line)}</p>" for line in text.splitlines() if line.strip())
    blocks = replace(split(Page(html, document.url)), source=EXTRACTOR)
    labels = np.full(len(blocks), Label.TEXT, np.int32)
    tags = Tags(labels, np.eye(3)[labels], document.score)
    made = replace(
        document, blocks=blocks, tags=tags, status="ok", shown=document.page_blocks, kinds=()
    )
    return replace(made, kinds=document_kinds(made))


def marks(status: str, params: FallbackParams) -> Mapping[str, Any]:
    """What the row of a page says of the command, as JSON has it; empty for one not sent."""
    return {"extractor": {"command": params.command[0], "status": status}} if status else {}
