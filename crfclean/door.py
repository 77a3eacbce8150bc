"""The door: what crfclean finds by name, and how anybody adds to it.

Every kind of thing that is chosen by name (a tagger, an output format, a command …) has a table:
name -> where the object is. The core's tables are here, those of the products in
`products/__init__.py`. A package of yours adds to them by an entry point:

    [project.entry-points."crfclean.formats"]
    words = "my_package:to_words"

A name that no table has is looked up there, and only then, so that crfclean starts as fast as
before. docs/extending.md says what each kind of object must have.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from crfclean.types import CrfcleanError

__all__ = ["added", "find", "has", "names", "origin"]


class Entry(NamedTuple):
    """A name's object, as "module:attribute", and what it is, in a line.

    `heading` and `few_pages` are those of a command: its place in the list of commands, and
    whether it works page by page, without large matrices.
    """

    place: str
    says: str
    heading: str = ""
    few_pages: bool = False

    def load(self) -> Any:
        """Import the object."""
        module, _, attribute = self.place.partition(":")
        return getattr(import_module(module), attribute)


Tables = Mapping[str, Mapping[str, Entry]]
"""Kind -> name -> entry."""

KINDS: Mapping[str, str] = {
    "commands": "command",
    "taggers": "tagger",
    "models": "kind of model",
    "features": "feature",
    "formats": "output format",
    "inputs": "input format",
    "metrics": "metric",
    "reports": "report",
    "pictures": "picture",
}
"""Kind, which is the end of its group of entry points `crfclean.KIND` -> the word for one."""

CORE: Tables = {
    "commands": {
        "clean": Entry(
            "crfclean.cli.clean:clean_command",
            "Extract the text of pages: files, directories.",
            "Pages to text",
            few_pages=True,
        ),
        "explain": Entry(
            "crfclean.cli.explain:explain_command",
            "Show why each block of a page was kept or left out.",
            "Look inside",
            few_pages=True,
        ),
        "doctor": Entry(
            "crfclean.cli.doctor:doctor_command",
            "Check the installation: versions, extras, models.",
            "Look inside",
        ),
    },
    "models": {"crf": Entry("crfclean.systems.crf:from_bundle", "a conditional random field")},
    "formats": {
        "txt": Entry("crfclean.document.text:to_txt", "plain text, a line for each block"),
        "md": Entry("crfclean.document.markdown:to_md", "Markdown"),
        "json": Entry("crfclean.document.json:to_json", "JSON with blocks, parts and metadata"),
        "jsonl": Entry("crfclean.document.json:to_jsonl", "the same on one line"),
        "html": Entry("crfclean.document.html:to_html", "clean HTML"),
        "tei": Entry("crfclean.document.tei:to_tei", "TEI P5 XML"),
        "vert": Entry("crfclean.document.vert:to_vert", "a prevertical: a paragraph a line"),
        "vertical": Entry("crfclean.document.vert:to_vertical", "a vertical: a token a line"),
        "passages": Entry("crfclean.citations.passages:to_passages", "passages with their places"),
    },
}
"""What the core has; kinds that are not here have no names in the core."""


def names(kind: str) -> tuple[str, ...]:
    """The names that are built in, in order."""
    return tuple(_table(kind))


def added(kind: str) -> tuple[str, ...]:
    """The names that other packages add, sorted."""
    return tuple(sorted(_foreign(kind).keys() - _table(kind).keys()))


def entries(kind: str) -> Mapping[str, Entry]:
    """The built-in entries of a kind, in order."""
    return _table(kind)


def has(kind: str, name: str) -> bool:
    """Whether a name is built in, or is that of an entry point."""
    return name in _table(kind) or name in _foreign(kind)


def find(kind: str, name: str) -> Any:
    """The object with a name; raises `CrfcleanError` if there is none, or it cannot be imported.

    >>> find("formats", "md").__name__
    'to_md'
    """
    if name in _table(kind):
        return _table(kind)[name].load()
    foreign = _foreign(kind)
    if name not in foreign:
        known = ", ".join((*names(kind), *added(kind)))
        there = f"there are {known}" if known else f"no installed package has a {KINDS[kind]}"
        raise CrfcleanError(f"no {KINDS[kind]} {name!r}; {there}")
    try:
        return foreign[name].load()
    except Exception as error:  # a foreign module may raise anything
        raise CrfcleanError(f"the {KINDS[kind]} {name!r} cannot be imported: {error}") from error


def origin(kind: str, name: str) -> str:
    """The package of an entry point with its version, as "my-package 1.2"; "" for a built-in name.

    Models remember it for each feature, so that another version is not taken for the same.
    """
    entry = None if name in _table(kind) else _foreign(kind).get(name)
    return f"{entry.dist.name} {entry.dist.version}" if entry is not None and entry.dist else ""


@cache
def _table(kind: str) -> Mapping[str, Entry]:
    """The built-in entries of a kind: a product may replace one of the core."""
    return {**CORE.get(kind, {}), **_products().get(kind, {})}


def _products() -> Tables:
    try:
        tables: Tables = import_module("crfclean.products").TABLES
    except ModuleNotFoundError:  # the core alone
        return {}
    return tables


@cache
def _foreign(kind: str) -> Mapping[str, Any]:
    """The entry points of a kind; of two with one name, that of the package first by its name."""
    from importlib.metadata import entry_points  # 10 ms, and most runs need none

    found = sorted(
        entry_points(group=f"crfclean.{kind}"), key=lambda each: each.dist.name if each.dist else ""
    )
    return {entry.name: entry for entry in reversed(found)}
