"""The errors, the parameters that are checked, and the values that options take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Final, Literal, TypeAlias, TypeVar, get_args

from crfclean.types.document import CoarseKind, Kind

# the errors that a wrong call raises


class CrfcleanError(Exception):
    """A call that cannot be carried out; the message names the file (and line) at fault."""


class ModelError(CrfcleanError):
    """A model folder that is missing, damaged, or made for other features."""


class GoldError(CrfcleanError):
    """Annotations that do not fit their page or their format."""


class NoGoldError(GoldError):
    """Pages that nobody has annotated."""


class WorkerError(CrfcleanError):
    """Worker processes that cannot start or die: the machine is at fault, so call again later."""


class OldParserWarning(UserWarning):
    """The parser inside lxml is so old that it loses text of broken pages."""


def install(extra: str) -> str:
    """Return how to install an extra, for the messages that name one.

    >>> install("warc")
    "pip install 'crfclean[warc]' (in a checkout: pip install '.[warc]')"
    """
    return f"pip install 'crfclean[{extra}]' (in a checkout: pip install '.[{extra}]')"


# declare parameters with their help, and check their bounds

_T = TypeVar("_T")


def option(default: _T, text: str, choices: tuple[str, ...] = ()) -> _T:
    """A field of a parameter dataclass: its default, its help text, the values to choose from."""
    parameter: _T = field(default=default, metadata={"help": text, "choices": choices})
    return parameter


def check_bounds(params: object, bounds: Mapping[str, tuple[float, float]]) -> None:
    """Raise `CrfcleanError` for a parameter that is NaN, or not within its inclusive bounds."""
    for name, (least, most) in bounds.items():
        value = getattr(params, name)
        if not least <= value <= most:
            raise CrfcleanError(f"{name} must be from {least} to {most}, not {value}")


def split_names(text: str | None) -> tuple[str, ...]:
    """Return the names in a list with commas, in lower case.

    >>> split_names("Title, headers,")
    ('title', 'headers')
    """
    return tuple(name.strip().lower() for name in (text or "").split(",") if name.strip())


# names that users may choose from
#
# Help and completion show these names without importing the modules that do the work. A test
# compares them with the names in those modules.

RULES = ("expected_f1", "threshold", "precision")
"""Rules that turn probabilities into labels; see `decision.choosing`."""

COMMENTS_OF_THREADS = "threads"
"""The kind of blocks that stands for comments on pages that are threads."""

AUTO: Final = "auto"
"""The convention that depends on the type of the page."""

COARSE_WORDS = (*(kind.name.lower() for kind in CoarseKind), COMMENTS_OF_THREADS)
"""Coarse kinds of blocks that may be kept; see `decision.rules`."""

KIND_WORDS = tuple(kind.name.lower() for kind in Kind)
"""Kinds of blocks that may be kept; see `decision.rules`."""

KEEPABLE = tuple(dict.fromkeys((*COARSE_WORDS, *KIND_WORDS)))
"""All words for kinds of blocks that may be kept."""

Convention: TypeAlias = Literal["auto", "article", "body", "page", "thread", "everything"]
CONVENTIONS: tuple[Convention, ...] = get_args(Convention)
"""Conventions of what belongs to a text; see `decision.rules`."""

CommentMode: TypeAlias = Literal["keep", "separate", "drop"]
COMMENT_MODES: tuple[CommentMode, ...] = get_args(CommentMode)
"""What to do with readers' comments; see `systems.load`."""

BARRING = ("article", "body", "page")
"""Conventions without comments."""


def check_comments(mode: str | None, convention: str | None) -> None:
    """Raise `CrfcleanError` for comments that a convention leaves out."""
    if mode in ("keep", "separate") and convention in BARRING:
        raise CrfcleanError(
            f"comments cannot be {mode!r}: the convention {convention} leaves them out"
        )


Format: TypeAlias = Literal[
    "txt", "md", "json", "jsonl", "html", "tei", "vert", "passages", "markdown", "text"
]
"""Formats of texts, and other names of them; see `document.formats`."""

FORUM_TAGGER = "forum"
"""The tagger of forum pages; see `products.forum.tagger`."""

FORUM_FORMATS = ("jsonl", "txt", "csv")
"""Formats of threads; see `products.forum.thread`."""

METADATA_FORMATS = ("json", "jsonl", "yaml")
"""Formats of metadata; see `products.corpus.metadata_writer`."""

SEGMENT_FORMATS = ("json", "jsonl", "txt", "html")
"""Formats of coherent texts; the last one is a picture; see `products.papers.segment_writer`."""

SCORE_GROUPS = ("source", "kind", "lang")
"""Groupings of pages in tables of scores; see `products.teach.result`."""

SEGMENT_METHODS = ("energy", "links", "blocks")
"""Methods that find coherent texts; see `products.papers.coherent`."""

PEERS = ("trafilatura", "resiliparse", "justext", "readability-lxml")
"""Other systems that `eval` compares; see `products.teach.runner`."""

PAGE_TYPES = tuple("article collection documentation form forum listing product service".split())
"""Types of pages of the shipped model; see `model.pagetype`."""

DUPLICATE_UNITS = ("exact", "near")
"""Duplicates to leave out of a corpus; see `products.corpus.duplicates`."""
