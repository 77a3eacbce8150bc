"""What the package and its commands load: modules are counted, since times vary."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

import crfclean
from crfclean import door
from crfclean.cli.main import commands, load_command

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "data" / "demo" / "severnik" / "hokej-derby-finale.html"

ARRAYS = {"numpy", "lxml", "regex", "rapidfuzz"}
EXTRAS = {
    *("prompt_toolkit", "fastapi", "starlette", "uvicorn", "pydantic", "urllib3"),
    *("pyarrow", "zstandard", "fastwarc", "matplotlib", "ray"),
    "rensa",
}
IDLE = {"pycrfsuite", "rapidfuzz", "cchardet", "scipy", "tqdm"}
"""Libraries of training, evaluation, guesses and terminals, which a page's text needs none of."""

LISTING = {"cli", *(f"cli.{name}" for name in ("help", "main", "messages", "paths", "settings"))}
"""The modules that list the commands."""

NAMES_OF_MODULES = "import json, sys\nprint(json.dumps(sorted(sys.modules)))"
COMMAND = """
import atexit, io, json, sys
sys.argv[0] = "crfclean"
terminal = sys.stderr
sys.stderr = io.StringIO()
atexit.register(lambda: terminal.write(json.dumps(sorted(sys.modules))))
from crfclean.cli.main import main
main()
"""


def python(code: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        check=True,
        text=True,
        encoding="utf-8",
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"} | environment,
    )


def after(code: str) -> set[str]:
    """The modules that are loaded when some code has run."""
    return set(json.loads(python(f"{code}\n{NAMES_OF_MODULES}").stdout.splitlines()[-1]))


def after_command(*arguments: str, **environment: str) -> tuple[str, set[str]]:
    """What a command printed, and the modules that were loaded when it ended."""
    done = python(COMMAND, *arguments, **environment)
    return done.stdout, set(json.loads(done.stderr))


def own(modules: set[str]) -> set[str]:
    """The modules of the package among some modules, by their names inside it."""
    return {name.removeprefix("crfclean.") for name in modules if name.startswith("crfclean.")}


def rooms_of(modules: set[str]) -> set[str]:
    """The rooms of the package among some modules."""
    return {name.partition(".")[0] for name in own(modules)}


def loaded(modules: set[str], *rooms: str) -> set[str]:
    """The modules of the package that are in some rooms, or are such modules."""
    prefixes = tuple(f"{room}." for room in rooms)
    return {name for name in own(modules) if name in rooms or name.startswith(prefixes)}


# the package


def test_import_loads_the_version_alone() -> None:
    modules = after("import crfclean")
    assert own(modules) == {"_version", "moved"}
    assert not modules & {*ARRAYS, *EXTRAS, *IDLE, "click", "multiprocessing", "dataclasses"}


def test_unknown_names() -> None:
    with pytest.raises(AttributeError, match=r"module 'crfclean' has no attribute 'scrub'"):
        crfclean.scrub  # noqa: B018
    assert not hasattr(crfclean, "numpy")
    with pytest.raises(ImportError, match="cannot import name 'scrub'"):
        from crfclean import scrub  # noqa: F401


# help and completion


@pytest.mark.parametrize("option", ["--help", "-h", "--version"])
def test_help_loads_no_command(option: str) -> None:
    out, modules = after_command(option)
    assert "crfclean" in out
    assert rooms_of(modules) == {"_version", "cli", "door", "moved", "products", "types"}
    assert loaded(modules, "cli") == LISTING
    assert not modules & {*ARRAYS, *EXTRAS, *IDLE, "multiprocessing"}


# the table of commands


@pytest.mark.parametrize("name", door.names("commands"))
def test_the_list_of_commands_says_what_their_help_says(name: str) -> None:
    command = load_command(name)
    assert command.name == name
    line = command.get_short_help_str(1_000)
    assert door.entries("commands")[name].says == line
    assert commands.commands[name].get_short_help_str(1_000) == line
    assert commands.commands[name].get_short_help_str(60) == command.get_short_help_str(60)


def test_a_command_is_found_by_its_name_alone() -> None:
    context = click.Context(commands)
    name, command, rest = commands.resolve_command(context, ["clean", "in", "out"])
    assert (name, command, rest) == ("clean", load_command("clean"), ["in", "out"])
    with pytest.raises(click.UsageError):
        commands.resolve_command(context, ["scrub"])
    quiet = click.Context(commands, resilient_parsing=True)
    assert commands.resolve_command(quiet, ["scrub"])[:2] == (None, None)


# one page


NOT_OF_ONE_PAGE = (
    *("citations", "metadata", "decision.names", "decision.places"),
    *("document.html", "document.json", "document.markdown", "document.tei"),
)
"""Rooms and modules that the text of one page at the command line needs none of."""

_OPTIONS = ("clean_command", "filter_options", "params", "run_options")
OPTIONS = {"products", "products.corpus", *(f"products.corpus.{name}" for name in _OPTIONS)}
"""What has the options of `clean`; no other module of a product is needed."""

NOT_OF_PLAIN_PAGES = ("page.formulas",)
"""What the core asks for where a page has formulas."""

SLOW = {
    *("multiprocessing", "concurrent.futures", "subprocess", "selectors", "email"),
    *("tempfile", "random", "csv", "difflib", "importlib.metadata", "threadpoolctl"),
    *("statistics", "xml.etree.ElementTree", "http.client", "asyncio"),
    *("pkgutil", "numpy.ma"),
}
"""Modules of the standard library, of numpy, and threadpoolctl, that take milliseconds."""

MAX_OWN_MODULES = 240
"""Modules of the package that one page may load, 53 of them for the words of languages."""


def commanded(*arguments: str) -> tuple[str, set[str]]:
    """What a command printed, and its modules, in an environment without settings of threads."""
    return after_command(*arguments, OPENBLAS_NUM_THREADS="1")


def test_one_page_at_the_command_line_loads_what_it_needs() -> None:
    out, modules = commanded("clean", str(PAGE), "-")
    assert out.startswith("Jizbov otočil derby")
    assert not modules & {*EXTRAS, *IDLE, *SLOW}
    assert not loaded(modules, *NOT_OF_ONE_PAGE)
    assert loaded(modules, "products") == OPTIONS
    assert not loaded(modules, *NOT_OF_PLAIN_PAGES) | modules & {"html"}
    assert len(own(modules)) <= MAX_OWN_MODULES
