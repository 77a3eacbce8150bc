"""Commands that look inside: `explain`, `cite`, `serve`, `mcp` and `doctor`."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crfclean._version import __version__
from crfclean.cli.help import (
    EXIT_NOTHING,
    EXIT_OK,
    EXIT_SOME_FAILED,
    LOG,
    GroupedCommand,
    Reads,
    wrote,
)
from crfclean.cli.options import (
    Share,
    extra,
    html_option,
    model_option,
    open_tagger,
    options_of,
    read_bytes,
    tagger_options,
)
from crfclean.corpus.jobs import TaskLimits
from crfclean.systems.load import NAMED
from crfclean.types import CrfcleanError, OldParserWarning, Page, Tagger, install
from crfclean.web.inspection import ServeParams, WorkParams

if TYPE_CHECKING:
    from crfclean.citations import Citation
    from crfclean.types import Document


@click.command(
    "explain",
    cls=GroupedCommand,
    first="--as --keep --also --without --threshold --model --tagger --features --html",
    examples={
        "crfclean explain page.html": "Four reasons for each block",
        "crfclean explain page.html --features 10": "Ten reasons for each block",
        "crfclean explain page.html --as page": "With captions and bylines",
    },
)
@click.argument("page", type=Reads(path_type=Path))
@tagger_options
@click.option(
    "--features",
    "most",
    type=click.IntRange(0),
    default=4,
    show_default=True,
    metavar="N",
    help="features per block",
)
@html_option("write the page as one HTML file, painted by what was kept, with the reasons in words")
def explain_command(page: Path, most: int, html: Path | None, **options: Any) -> None:
    """Show why each block of a page was kept or left out.

    Prints the page's score (its expected F1), then every block of PAGE with its label, probability,
    XPath and kind, its text, and the features that weighed most. Each feature has its value and its
    weight for (+) or against (-) keeping the block; name[+1] is the feature of the next block. A
    step after the model that changed the block comes first, as post.STEP with +1 or -1. A comment
    has comment.thread, the probability that the page is a thread; only threads keep comments.

    The file of --html shows the page as a browser does, with kept blocks green and dropped ones
    grey. Click on a block, or press Enter, for its reasons. The file loads nothing, and the page's
    scripts do not run.
    """
    from crfclean.page.decode import decode

    tagger = open_tagger(options)
    decoded = decode(read_bytes(page))
    if html is not None:
        from crfclean.document.overlay import overlay_html
        from crfclean.io import write_text

        write_text(html, overlay_html(decoded, tagger))
        wrote(str(html))
    else:
        _print_explanation(page, decoded, tagger, most)


def _print_explanation(name: Path, page: Page, tagger: Tagger, most: int) -> None:
    from crfclean.document.formats import to_explanation
    from crfclean.pipeline import run
    from crfclean.systems.load import Explains, Traces, capability, need

    explains, traces = need(tagger, Explains, "explain"), capability(tagger, Traces)
    document = run(page, tagger)
    if traces is not None:
        click.echo(traces.trace(document.blocks), nl=False)
    reasons = explains.explain(document.blocks, most)
    text = f"{name}: {to_explanation(document, reasons)}"
    click.echo(text, nl=False)


# the command `cite`: find quotes on a page, or cite all its sentences


@click.command(
    "cite",
    cls=GroupedCommand,
    first="--each --url --min-similarity --json --as --keep --precision --threshold --tagger "
    "--model",
    examples={
        'crfclean cite page.html "the ferry sails again"': "Where the page says it",
        "crfclean cite page.html --each sentence --json": "Every sentence with its place",
        'crfclean cite page.html "it rained" --url https://example.org/1': "With a full link",
    },
)
@click.argument("page", type=Reads(path_type=Path, allow_dash=True))
@click.argument("quotes", metavar="[QUOTE]...", nargs=-1)
@click.option(
    "--each",
    type=click.Choice(["sentence", "block"]),
    help="cite every sentence, or every block, of the text instead of quotes",
)
@click.option("--url", metavar="URL", help="address of the page, for the links")
@click.option(
    "--min-similarity",
    type=Share(0, 1),
    default=0.7,
    show_default=True,
    metavar="S",
    help="least similarity of quote and page: twice the characters of common words, divided by "
    "those of both",
)
@click.option("--json", "as_json", is_flag=True, help="print a JSON object per quote")
@tagger_options
def cite_command(
    page: Path,
    quotes: tuple[str, ...],
    each: str | None,
    url: str | None,
    min_similarity: float,
    as_json: bool,  # noqa: FBT001
    **options: Any,
) -> int:
    """Find where a page says something.

    crfclean looks on PAGE (- for standard input) for each QUOTE, also with some words changed. It
    prints the XPath, the position in the text that clean prints (- if the quote is not part of that
    text), the similarity, and a link that makes a browser scroll to the words and highlight them.
    A place in the text wins over one in a menu or teaser.

    Exit code: 0 all quotes were found, 1 some were not, 2 wrong usage, 3 none was found.
    """
    if bool(quotes) == bool(each):
        raise click.UsageError("Give quotes, or --each sentence, or --each block.")
    from crfclean.page.decode import decode
    from crfclean.pipeline import run

    tagger = open_tagger(options)
    document = run(decode(read_bytes(page), url), tagger)
    if not len(document.blocks):
        LOG.warning("%s: no text to search (%s)", page, document.status)
    missing = total = 0
    for quote, citation in _citations(document, quotes, each, min_similarity):
        total += 1
        missing += citation is None
        _print(quote, citation, as_json=as_json)
    if missing == total:
        return EXIT_NOTHING
    return EXIT_SOME_FAILED if missing else EXIT_OK


def _citations(
    document: Document, quotes: tuple[str, ...], each: str | None, least: float
) -> Iterator[tuple[str, Citation | None]]:
    from crfclean.citations import blocks, sentences
    from crfclean.citations.cite import Citer, find_by

    if each is not None:
        for citation in (sentences if each == "sentence" else blocks)(document):
            yield citation.text, citation
    citer = Citer(document)
    for quote in quotes:
        yield quote, find_by(citer, quote, least)


def _print(quote: str, citation: Citation | None, *, as_json: bool) -> None:
    from crfclean.page.chars import escaped

    if as_json:
        fields = None if citation is None else citation.to_dict()
        click.echo(json.dumps({"quote": quote, "citation": fields}, ensure_ascii=False))
        return
    if citation is None:
        LOG.warning("not found: %s", escaped(quote))
        return
    span = "-" if citation.start is None else f"{citation.start}-{citation.end}"
    xpath = citation.blocks[0].xpath or "(data)"
    click.echo(f"{xpath}\t{span}\t{citation.similarity:.2f}\t{citation.url}")
    click.echo(f"    {escaped(citation.text)}")


# the command `serve`: a web page that cleans pages, and a JSON API

_SPECIAL = ("models", "token", "work", "fetching")
"""Parameters whose options are not made from their fields."""


@click.command(
    "serve",
    cls=GroupedCommand,
    examples={
        "crfclean serve": "Start; then open the printed address in a browser",
        "crfclean serve --allow-fetch": "Also fetch pages by their URLs",
        "crfclean serve --model ./my-model --model default": "Compare two models",
    },
)
@click.option(
    "--model",
    "models",
    multiple=True,
    type=Reads(readable=False),
    metavar="MODEL",
    help="shipped model, or folder such as ./my-model, that visitors can choose, or one of "
    f"{', '.join(NAMED)}, forum; can be repeated; default: all that are installed",
)
@click.option("--allow-fetch", is_flag=True, help="also fetch pages from public URLs")
@options_of(ServeParams, without=_SPECIAL)
@options_of(WorkParams)
@click.option(
    "--token",
    envvar="CRFCLEAN_TOKEN",
    default="",
    metavar="SECRET",
    help="secret of the page and the API; better set as CRFCLEAN_TOKEN; default: a new one",
)
def serve_command(
    models: tuple[str, ...], *, allow_fetch: bool, token: str, **options: Any
) -> None:
    """Clean pages in the browser, and over a JSON API.

    Open the address that crfclean prints. Paste HTML, choose a file or, with --allow-fetch, enter a
    URL. The page shows every block with its label, score and reasons, by one model or by two side
    by side. Some models also find coherent texts, roles or posts. Programs use POST /extract, which
    GET /openapi.json describes.
    """
    web = extra("web.app", "web")
    work = WorkParams(**{field.name: options.pop(field.name) for field in fields(WorkParams)})
    fetching = None
    if allow_fetch:
        fetching = extra("web.fetch", "fetch").FetchParams(max_seconds=work.max_seconds * 2 / 3)
    params = ServeParams(
        models=models or extra("web.service", "web").default_names(),
        token=token,
        work=work,
        fetching=fetching,
        **options,
    )
    if params.host not in ("127.0.0.1", "localhost", "::1"):
        LOG.warning("Other machines can reach this server, over plain HTTP.")
    web.serve(params)


# the command `mcp`: a server by which language models read pages


@click.command(
    "mcp",
    cls=GroupedCommand,
    examples={
        "crfclean mcp": "Pages that the client gives as HTML",
        "crfclean mcp --pages saved": "Also files of a directory",
        "crfclean mcp --allow-fetch": "Also pages from public URLs",
    },
)
@model_option
@click.option(
    "--pages",
    type=Reads(path_type=Path, file_okay=False),
    metavar="DIR",
    help="directory of files that the client may read by name",
)
@click.option("--allow-fetch", is_flag=True, help="also fetch pages from public URLs")
@options_of(TaskLimits)
def mcp_command(model: str, pages: Path | None, *, allow_fetch: bool, **limits: Any) -> None:
    """Let language models read pages: a Model Context Protocol server.

    A client starts the server and talks to it over standard input and output. The tools are clean,
    outline, block (at an XPath), why (a block is kept or dropped), score, has_content (or needs
    scripts, or a login) and find_quote. The server reads no files and fetches no pages unless an
    option allows it. It answers one question at a time, within limits of time and memory.
    """
    made = extra("extras.mcp", "mcp")
    if pages is not None and not pages.is_dir():
        raise CrfcleanError(f"{pages}: is not a directory")
    if allow_fetch:
        extra("web.fetch", "fetch")
    params = extra("extras.page_tools", "mcp").ToolParams(model, pages, allow_fetch)
    made.serve(params, TaskLimits(**limits))


# the command `doctor`: check an installation

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

    Prints what is installed, opens every model, and checks the settings file. Problems come last.

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
    from crfclean.cli.help import CONFIG_NAME, CONFIG_PATH, defaults, read_config
    from crfclean.cli.main import load_command

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
    from crfclean.forum.model import load_forum_model
    from crfclean.model.folder import find_model
    from crfclean.model.kinds import load_kind_model
    from crfclean.model.pagetype import load_page_model
    from crfclean.systems.load import load

    for name, opens in (
        ("default", load),
        ("mlp", load),
        ("forum", load_forum_model),
        ("pagetype", load_page_model),
        ("kinds", load_kind_model),
    ):
        try:
            folder = find_model(name)
            opens(folder)
            yield Finding(f"model {name}", f"works, {_digest(folder)}, in {folder}")
        except CrfcleanError as error:
            yield Finding(f"model {name}", str(error), problem=True)


def _digest(folder: Path) -> str:
    from crfclean.model.folder import MANIFEST

    return "sha256 " + hashlib.sha256((folder / MANIFEST).read_bytes()).hexdigest()[:12]


def _extras() -> Iterator[Finding]:
    for name, libraries in _libraries(requires("crfclean") or []).items():
        versions = {library: _version(library) for library in libraries}
        missing = [library for library, installed in versions.items() if not installed]
        has = ", ".join(f"{library} {installed}" for library, installed in versions.items())
        says = f"not installed: {install(name)}" if missing else has
        yield Finding(f"extra {name}", says)


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
