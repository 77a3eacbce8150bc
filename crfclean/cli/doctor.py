"""The command `doctor`: check an installation."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any

import click

from crfclean import door
from crfclean._version import __version__
from crfclean.cli.help import GroupedCommand
from crfclean.cli.messages import EXIT_OK, EXIT_SOME_FAILED
from crfclean.types import CrfcleanError, OldParserWarning, how_to_install
from crfclean.types.choices import FORUM_TAGGER

_REQUIREMENT = re.compile(r"([A-Za-z0-9][\w.-]*+).*\bextra == ['\"]([\w-]+)['\"]")
_NOT_FOR_USERS = frozenset(["browser", "extras", "peers", "plots", "schema", "test", "docs"])
"""Extras for the development of crfclean."""

DEPENDENCIES = (
    *("lxml", "numpy", "python-crfsuite", "regex", "tqdm"),
    *("beautifulsoup4", "faust-cchardet"),
)


@dataclass(frozen=True, slots=True)
class Finding:
    """A fact about the installation; a `problem` must be fixed."""

    what: str
    says: str
    problem: bool = False


@click.command(
    "doctor", cls=GroupedCommand, examples={"crfclean doctor": "What to add to a bug report"}
)
def doctor_command() -> int:
    """Check the installation: versions, extras, models.

    Prints what is installed, opens every model, imports what other packages add, and checks the
    settings file. Problems come last.

    Exit code: 0 all well, 1 problems.
    """
    warnings.simplefilter("ignore", OldParserWarning)  # a finding tells it
    findings = []
    for finding in _findings():
        click.echo(f"{finding.what:16} {finding.says}")
        findings.append(finding)
    problems = [finding for finding in findings if finding.problem]
    for problem in problems:
        click.echo(f"PROBLEM: {problem.what}: {problem.says}")
    return EXIT_SOME_FAILED if problems else EXIT_OK


def _findings() -> Iterator[Finding]:
    yield from _versions()
    yield _settings()
    core = _core()
    yield core
    if not core.problem:
        yield _parser()
        yield from _models()
    yield from _extras()
    yield from _added()


def _versions() -> Iterator[Finding]:
    yield Finding("crfclean", f"{__version__}, in {Path(__file__).parents[1]}")
    yield Finding("Python", f"{platform.python_version()}, {platform.platform()}")
    processors = f"{os.cpu_count()}; a page takes one, a corpus as many as --workers"
    yield Finding("processors", processors)
    for name in DEPENDENCIES:
        installed = _version(name)
        yield Finding(name, installed or "not installed", problem=not installed)


def _settings() -> Finding:
    """Check every table of the settings file against the options of its command."""
    from crfclean.cli.main import load_command
    from crfclean.cli.paths import CONFIG_PATH
    from crfclean.cli.settings import CONFIG_NAME, defaults, read_config

    context = click.get_current_context()
    file = context.meta.get(CONFIG_PATH)
    if file is None:
        return Finding("settings", f"no {CONFIG_NAME} in this directory")
    try:
        for name, table in read_config(file.path, context).items():
            defaults(click.Context(load_command(name)), table, file)
    except CrfcleanError as error:
        return Finding("settings", str(error), problem=True)
    return Finding("settings", str(file.path.absolute()))


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _core() -> Finding:
    try:
        import crfclean.core  # noqa: F401
    except CrfcleanError as error:
        return Finding("core", str(error), problem=True)
    return Finding("core", "works")


def _parser() -> Finding:
    from crfclean.page.libxml2 import old_parser
    from crfclean.page.walk import lxml_note

    if text := old_parser():
        return Finding("parser", text, problem=True)
    return Finding("parser", lxml_note() or "libxml2 inside lxml, called directly")


def _models() -> Iterator[Finding]:
    """Open the models of all taggers, and those of types of pages and kinds of blocks."""
    from crfclean.model.kind_model import load_kind_model
    from crfclean.model.pagetype import load_page_model
    from crfclean.systems.capabilities import Opens, capability
    from crfclean.systems.load import NAMED, SHIPPED, load, named

    def open_named(folder: Path) -> None:
        tagger = capability(named(folder.name), Opens)
        if tagger is not None:
            tagger.open()

    for name in SHIPPED.values():
        yield _model(name, load)
    if FORUM_TAGGER in NAMED:
        yield _model(FORUM_TAGGER, open_named)
    yield _model("pagetype", load_page_model)
    yield _model("kinds", load_kind_model)


def _model(name: str, opens: Callable[[Path], object]) -> Finding:
    from crfclean.model.folder import find_model

    try:
        folder = find_model(name)
        opens(folder)
    except CrfcleanError as error:
        return Finding(f"model {name}", str(error), problem=True)
    return Finding(f"model {name}", f"works, {_digest(folder)}, in {folder}")


def _digest(folder: Path) -> str:
    from crfclean.model.folder import MANIFEST

    return "sha256 " + hashlib.sha256((folder / MANIFEST).read_bytes()).hexdigest()[:12]


def _extras() -> Iterator[Finding]:
    for name, libraries in _libraries(requires("crfclean") or []).items():
        versions = {library: _version(library) for library in libraries}
        missing = [library for library, installed in versions.items() if not installed]
        has = ", ".join(f"{library} {installed}" for library, installed in versions.items())
        says = f"not installed: {how_to_install(name)}" if missing else has
        yield Finding(f"extra {name}", says)


def _added() -> Iterator[Finding]:
    """Name what other packages add, and import it."""
    for kind, word in door.KINDS.items():
        for name in door.added(kind):
            says, problem = f"{name}, of {door.origin(kind, name)}", False
            try:
                door.find(kind, name)
            except CrfcleanError as error:
                says, problem = str(error), True
            yield Finding(f"added {word}", says, problem)


def _libraries(requirements: list[str]) -> Mapping[str, list[str]]:
    """Map each extra for users to the names of its libraries.

    >>> dict(_libraries(["lxml>=5", "pyarrow>=18; extra == 'parquet'", "ruff; extra == 'test'"]))
    {'parquet': ['pyarrow']}
    """
    libraries: dict[str, list[str]] = {}
    for requirement in requirements:
        match: Any = _REQUIREMENT.match(requirement)
        if match and match[2] not in _NOT_FOR_USERS:
            libraries.setdefault(match[2], []).append(match[1])
    return libraries
