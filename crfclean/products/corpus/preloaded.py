"""Import and open in the fork server all that workers need before they are forked."""

from __future__ import annotations

import gc
import sys
import warnings
from contextlib import suppress
from pathlib import Path
from types import TracebackType

import crfclean.products.corpus.engine
import crfclean.products.corpus.folder
import crfclean.products.corpus.many  # noqa: F401 - with the two above, what workers need
from crfclean.pipeline import open_model
from crfclean.products.corpus.clean import BatchParams
from crfclean.products.corpus.job import Job
from crfclean.products.corpus.jobs import PageInput, process_pages
from crfclean.products.corpus.records import Record
from crfclean.types import CrfcleanError, OldParserWarning

SAMPLE_PAGE = Record("page", "<p>The ferry sails again.</p>", "https://example.org/")
JOB = Job(Path("shard"), Path("shard.jsonl"), shard="jsonl")


def preload() -> bool:
    """Clean a page, which opens the shipped model; return whether there is a model."""
    with suppress(CrfcleanError):
        params = BatchParams(open_model("default"))
        inputs = (PageInput(JOB, SAMPLE_PAGE),)
        params.prepare(inputs)
        process_pages(inputs, params)
        return True
    return False


def show(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print an error, except a failed fork, which the parent reports."""
    if not issubclass(kind, OSError | EOFError):
        sys.__excepthook__(kind, error, trace)


sys.excepthook = show
warnings.simplefilter("ignore", OldParserWarning)  # the parent tells it
preload()
gc.freeze()  # workers then neither search nor copy these objects
