"""The documentation site: reference pages made from the code, and a build without a warning."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import click
import pytest
from checkout import ROOT

from crfclean.cli.main import COMMANDS, load_command

sys.path.append(str(ROOT / "docs" / "site"))
from reference import commands, schema

SCHEMAS = sorted(
    path.relative_to(ROOT).as_posix() for path in ROOT.glob("crfclean/*/schemas/*.json")
)


@pytest.mark.parametrize("name", COMMANDS)
def test_reference_has_every_option(name: str) -> None:
    section = commands().partition(f"## crfclean {name}\n")[2].partition("\n## ")[0]
    for option in load_command(name).params:
        if isinstance(option, click.Option) and option.expose_value:
            assert re.search(rf"^`[^`]*{max(option.opts, key=len)}\b", section, re.MULTILINE)
            assert " ".join((option.help or "").split())[:20] in section.replace("\\", "")


@pytest.mark.parametrize("name", SCHEMAS)
def test_reference_has_every_field(name: str) -> None:
    text = schema(name)
    whole = json.loads((ROOT / name).read_text("utf-8"))
    for part in (whole, *whole.get("$defs", {}).values()):
        for key, field in part.get("properties", {}).items():
            assert f"| `{key}` |" in text
            assert field.get("description", "")[:12] in text.replace("\\", "")


# links, as they work in the files themselves


LINK = re.compile(r"\]\(([^)\s]+)\)")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


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


# the build


class References(HTMLParser):
    """What a page loads, or would load."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = {"img": "src", "script": "src", "link": "href", "iframe": "src"}
        self.loaded += [value or "" for name, value in attrs if name == names.get(tag)]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as `make docs` does, where warnings are errors."""
    pytest.importorskip("sphinx")
    pytest.importorskip("myst_parser")
    pytest.importorskip("furo")
    folder = tmp_path_factory.mktemp("site")
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        "-W",
        "--keep-going",
        "-c",
        "docs",
        ".",
        folder,
    ]
    done = subprocess.run(
        list(map(str, command)),
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return folder


def test_the_site_has_every_page(site: Path) -> None:
    pages = {path.relative_to(ROOT).with_suffix(".html") for path in (ROOT / "docs").rglob("*.md")}
    assert all((site / page).is_file() for page in pages)
    assert 'url=docs/index.html"' in (site / "index.html").read_text("utf-8")
    text = (site / "docs" / "cli.html").read_text("utf-8")
    assert all(f">crfclean {name}<" in text for name in COMMANDS)


def test_the_site_loads_nothing_from_elsewhere(site: Path) -> None:
    for path in site.rglob("*.html"):
        references = References()
        references.feed(path.read_text("utf-8"))
        assert not [url for url in references.loaded if urlsplit(url).netloc], path
