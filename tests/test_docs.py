"""Examples, commands, names and links of README.md and docs/.

The worked example is run as a reader would, and its outputs must be those of the page, numbers
within a little; run as a script with tests/lib on PYTHONPATH this module rewrites it.
"""

from __future__ import annotations

import ast
import asyncio
import doctest
import os
import re
import shlex
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from checkout import ROOT
from packages import PACKAGES, installed
from pyarrow import table
from pyarrow.parquet import write_table
from quoted import close, in_shell, with_command

import crfclean
import crfclean.metadata
from crfclean import clean, door
from crfclean.cli.main import load_command
from crfclean.decision.rules import KINDS_OF
from crfclean.products.teach.annotate_command import labelling_summary
from crfclean.products.teach.keyboard import Keyboard
from crfclean.products.teach.session import open_session
from crfclean.products.teach.terminal import screen
from crfclean.systems.load import load
from crfclean.types.document import Kind
from eval.lib import doc_figures

PAGE = ROOT / "docs" / "fifteen-minutes.md"
KEYS = ["r"] * 4 + 2 * ["t", "o", "r", "r", "r", "E", *["r"] * 10] + "t o r r r E".split()
ON_SCREEN = 5  # keys pressed before the screen that the page shows
_FENCED = re.compile(r"```(console|screen)\n(.*?)```", re.DOTALL)


def pressed(folder: Path, keys: list[str]) -> tuple[str, str]:
    """The screen of `annotate` after some keys, and what it says at its end."""
    keyboard = Keyboard(session := open_session(folder, load()))
    for key in keys:
        keyboard.press(key)
    lines = [text.rstrip() for _, text in screen(keyboard, 80, 24)]
    return "\n".join(lines) + "\n", labelling_summary(session) + "\n"


def run_all(text: str, folder: Path) -> Iterator[tuple[str, str]]:
    """Every fenced block of the page, and what it should be: the commands with their outputs."""
    (folder / "data").symlink_to(ROOT / "data")
    with_command(folder)
    screens: list[str] = []
    for kind, old in _FENCED.findall(text):
        if kind == "screen":
            yield old, screens.pop()
            continue
        new = ""
        for line in [line for line in old.splitlines() if line.startswith("$ ")]:
            new += line + "\n"
            if line.startswith("$ crfclean annotate"):
                copy = Path(shutil.copytree(folder / "pages/label", folder / "copy"))
                screens.append(pressed(copy, KEYS[:ON_SCREEN])[0])
                new += pressed(folder / "pages/label", KEYS)[1]
            else:
                new += in_shell(line[2:], folder)[1]
        yield old, new


@pytest.mark.skipif(os.name == "nt", reason="the example is written for a Unix shell")
def test_the_example_is_real(tmp_path: Path) -> None:
    found = list(run_all(PAGE.read_text("utf-8"), tmp_path))
    assert len(found) == 7
    for old, new in found:
        assert close(old, new), f"the page has:\n{old}\nbut this was printed:\n{new}"


PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)
HTML = re.compile(r"```html\n(.*?)```", re.DOTALL)


GUIDES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs/guides").glob("*.md"))


RUN = ["README.md", "docs/index.md", "docs/python.md", "docs/api.md", *GUIDES]


@pytest.mark.parametrize("name", RUN)
def test_python_examples_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One after another, on pages of a forum, whose names the page leaves to its reader."""
    (tmp_path / "data").symlink_to(ROOT / "data")
    (tmp_path / "clean").mkdir()
    rows = table({"url": ["https://example.org/1"], "text": ["Ice"], "score": [0.9]})
    write_table(rows, tmp_path / "clean" / "crawl.parquet")
    monkeypatch.chdir(tmp_path)
    folder = ROOT / "data" / "forum" / "ask-the-bookbinder"
    corpus = [path.read_text("utf-8") for path in sorted(folder.glob("*.html"))]
    names: dict[str, object] = {"html": corpus[0], "pages": corpus, "url": "https://example.org/1"}
    examples = PYTHON.findall((ROOT / name).read_text("utf-8"))
    assert examples
    for example in examples:
        exec(compile(example, name, "exec"), names)
    if name in RUN[:3] and "document" in names:
        assert names["text"] == names["document"].text  # type: ignore[attr-defined]


def test_servers_answer(root: Path) -> None:
    """The recipes for asyncio and FastAPI."""
    testclient = pytest.importorskip("starlette.testclient", reason="needs crfclean[web]")
    section = (root / "docs/python.md").read_text("utf-8").partition("## asyncio and FastAPI")[2]
    names: dict[str, Any] = {"crfclean": crfclean}
    for example in PYTHON.findall(section)[:2]:
        exec(compile(example, "docs/python.md", "exec"), names)
    html = (root / "data/demo/moorland-gazette/sunday-bus-reprieve.html").read_bytes()
    assert asyncio.run(names["answer"](html)) == crfclean.extract(html) != ""
    answer = testclient.TestClient(names["app"]).post("/text", content=html)
    assert (answer.status_code, answer.text) == (200, crfclean.extract(html))


def test_answers_were_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sessions of the questions and answers, one after another, in a checkout."""
    monkeypatch.chdir(ROOT)
    sessions = re.findall(
        r"```pycon\n(.*?)```", (ROOT / "docs/faq.md").read_text("utf-8"), re.DOTALL
    )
    test = doctest.DocTestParser().get_doctest("\n\n".join(sessions), {}, "faq.md", None, 0)
    assert len(test.examples) > 30
    doctest.DebugRunner().run(test)


# commands


COMMAND = re.compile(r"^(?:    |\$ )(crfclean [a-z].*)$", re.MULTILINE)
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def imports_of(page: Path) -> set[tuple[str, str]]:
    """The modules and names of crfclean that the Python examples of a page import."""
    trees = (ast.parse(example) for example in PYTHON.findall(page.read_text("utf-8")))
    nodes = (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    own = (node for node in nodes if (node.module or "").partition(".")[0] == "crfclean")
    return {(node.module or "", alias.name) for node in own for alias in node.names}


def names_in(module: str) -> set[str]:
    """The names that a module defines or imports, read and not run: some need an extra."""
    spec = find_spec(module)
    assert spec is not None, module
    assert spec.origin is not None, module
    names = set[str]()
    for node in ast.walk(ast.parse(Path(spec.origin).read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.ImportFrom):
            names |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_what_examples_import_is_there(page: Path) -> None:
    for module, name in imports_of(page):
        if name not in names_in(module):
            assert find_spec(f"{module}.{name}") is not None, f"{module} has no {name}"


LINES = sorted({line for path in PAGES for line in COMMAND.findall(path.read_text("utf-8"))})


def arguments_of(line: str) -> list[str]:
    """The words of a line of a shell, up to a comment, a pipe or a redirection."""
    words = shlex.split(line, comments=True)
    ends = [words.index(word) for word in ("|", ">", "&", "&&") if word in words]
    return words[1 : min(ends, default=len(words))]


@pytest.fixture(scope="module")
def _examples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The packages of docs/extending.md are installed."""
    names = (path.name for path in PACKAGES.iterdir())
    with installed(tmp_path_factory.mktemp("site") / "packages", *names):
        yield


@pytest.mark.usefixtures("_examples")
@pytest.mark.parametrize("line", LINES)
def test_commands_are_understood(line: str) -> None:
    """Names of commands and options are right, and values of options possible."""
    name, *arguments = arguments_of(line)
    if name == "COMMAND":
        return
    assert door.has("commands", name)
    if {"-h", "--help"} & set(arguments):
        return
    with load_command(name).make_context(name, arguments) as context:
        assert not context.args


# links, as they work in the files themselves

LINK = re.compile(r"\]\(([^)\s]+)\)")


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as hosts of repositories make them."""
    headings = re.findall(
        r"^#+ (.*)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE
    )
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_between_pages(page: Path) -> None:
    for link in LINK.findall(re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)):
        parts = urlsplit(link)
        if parts.scheme:
            continue
        target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        assert target.exists(), link
        if parts.fragment:
            assert parts.fragment in anchors(target.read_text("utf-8")), link


# figures and paths


FIGURED = [path.relative_to(ROOT).as_posix() for path in doc_figures.pages()]


@pytest.mark.parametrize("name", FIGURED)
def test_figures_are_those_of_the_records(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    assert text == doc_figures.with_figures(text), "run python -m eval.lib.doc_figures"


MEASURED = re.compile(r"(?<!\$)\b[01]\.\d{3}\b|\b\d+\.\d %")
QUOTED = re.compile(r"```.*?```|`[^`\n]*`|<!-- (?:figure|table) .*?<!-- end -->", re.DOTALL)
BY_HAND = {
    "docs/papers.md": "figures of the papers",
    "docs/fifteen-minutes.md": "the outputs of its commands",
}
"""Page with measured figures of its own -> what they are."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_no_measured_figure_is_written_by_hand(page: Path) -> None:
    if page.relative_to(ROOT).as_posix() not in BY_HAND:
        assert not MEASURED.findall(QUOTED.sub("", page.read_text("utf-8")))


ROOMS = "crfclean|data|docs|eval|models|native|packaging|tests"
NAMED = re.compile(rf"`((?:{ROOMS})/[\w./*-]+)`")
NO_PATHS = {"crfclean/ok": "a counter", "crfclean/lexicon/XX.toml": "a file to be written"}


@pytest.mark.parametrize("name", FIGURED)
def test_named_paths_exist(name: str) -> None:
    text = re.sub(r"```.*?```", "", (ROOT / name).read_text("utf-8"), flags=re.DOTALL)
    named = set(NAMED.findall(text)) - set(NO_PATHS)
    assert {name for name in named if not any(ROOT.glob(name.rstrip("/")))} == set()


# kinds


def test_examples_of_kinds() -> None:
    """Each kind has an example, the blocks of which are of this kind."""
    text = (ROOT / "docs/kinds.md").read_text("utf-8")
    article, *_ = HTML.findall(text)
    examples = dict(
        re.findall(r"^### (\w+)\n\n[^\n]+\n\n```html\n(.*?)```", text, re.DOTALL | re.MULTILINE)
    )
    assert {*examples, "post"} == {kind.name.lower() for kind in Kind}
    for name, example in examples.items():
        document = clean(article.replace("EXAMPLE", "" if name == "title" else example))
        own = {"TITLE", "PARAGRAPH", name.upper()}
        assert {kind.name for kind in document.kinds} == own


def test_conventions_keep_of_the_example_what_the_page_says() -> None:
    """The last column of the table: the first word of each block that is kept."""
    text = (ROOT / "docs/conventions.md").read_text("utf-8")
    (example,) = HTML.findall(text)
    rows = re.findall(r"^\| `(\w+)`[^|]*\|[^|]*\| ([^|]+) \|$", text, re.MULTILINE)
    assert [name for name, _ in rows] == ["auto", *KINDS_OF]
    for name, words in rows:
        lines = clean(example, as_=name).text.splitlines()
        assert [line.removeprefix("- ").split()[0] for line in lines if line] == words.split()


# migration


def test_calls_of_other_libraries_have_ours() -> None:
    """Calls of Python run, and give something; commands are understood."""
    text = (ROOT / "docs/migration.md").read_text("utf-8").partition("## Rows of crfclean")[0]
    html = (ROOT / "data/demo/moorland-gazette/sunday-bus-reprieve.html").read_text("utf-8")
    head = "<head><meta property=og:image content=/bus.jpg><meta name=keywords content=buses>"
    html = html.replace("<head>", head, 1)
    names = {"crfclean": crfclean, "html": html, "url": "https://example.org/1"}
    rows = re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|$", text, re.MULTILINE)
    assert len(rows) == len(re.findall(r"^\| `", text, re.MULTILINE)) > 25
    for _, ours in rows:
        if ours.startswith("crfclean "):
            test_commands_are_understood(ours)
        else:
            value = eval(ours, names)
            assert len(value) if hasattr(value, "__len__") else value, ours


if __name__ == "__main__":
    page = PAGE.read_text("utf-8")
    with TemporaryDirectory() as place:
        for before, after in list(run_all(page, Path(place))):
            kind = "console" if "$ " in before else "screen"
            page = page.replace(f"```{kind}\n{before}```", f"```{kind}\n{after}```")
    PAGE.write_text(page, "utf-8")


def test_the_icon_of_the_site_is_there(root: Path) -> None:
    icon = re.search(
        r'^html_favicon = "(.+)"$', (root / "docs/conf.py").read_text("utf-8"), re.MULTILINE
    )
    assert icon
    assert (root / "docs" / icon[1]).is_file()
