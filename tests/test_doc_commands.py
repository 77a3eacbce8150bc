"""The commands of README.md and docs/, run page by page, in order; their outputs are as quoted."""

from __future__ import annotations

import csv
import gzip
import json
import shlex
import shutil
import zipfile
from collections.abc import Callable, Iterator, Sequence
from glob import glob
from pathlib import Path
from typing import Any

import pytest
import zstandard
from checkout import ROOT
from packages import PACKAGES, installed
from quoted import Quoted, close, in_shell, quoted, with_command
from warcs import record

import crfclean.parallel

Command = Callable[..., Any]

PAGES = {
    path.relative_to(ROOT).as_posix(): list(quoted(path.read_text("utf-8")))
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if path.name != "fifteen-minutes.md"  # test_docs.py presses its keys
}

NOT_RUN = {
    "pip install": "changes the environment",
}
"""Beginning of a command -> why it is not run."""


def reason(command: str) -> str | None:
    """Why a command is not run; None for one that is."""
    return next((why for start, why in NOT_RUN.items() if start in command), None)


@pytest.mark.parametrize("start", NOT_RUN)
def test_what_is_not_run_is_in_the_docs(start: str) -> None:
    assert any(start in line.command for lines in PAGES.values() for line in lines)


DEMO = ROOT / "data" / "demo"
SITES = ("hafenblick", "moorland-gazette", "podhorsky-denik", "severnik", "vestnik-zarechya")


def gold_in(folder: Path, each: int = 1) -> None:
    """Copy the first pages of each site, with their texts."""
    for site in SITES:
        (folder / site).mkdir(parents=True)
        for page in sorted((DEMO / site).glob("*.html"))[:each]:
            shutil.copy(page, folder / site)
            shutil.copy(page.with_suffix(".txt"), folder / site)


def crawl_of(pages: Sequence[Path]) -> bytes:
    """A WARC file, packed by gzip."""
    return b"".join(
        record(f"https://{page.parent.name}.example/{page.stem}", page.read_bytes())
        for page in pages
    )


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the pages leave to their readers."""
    folder = tmp_path_factory.mktemp("desk")
    for name in ("pages", "GOLD", "DIR", "IN", "sample", "others", "gold", "my-pages"):
        gold_in(folder / name)
    pages = sorted((folder / "pages").rglob("*.html"))
    for name, page in zip(("page.html", "more.html", "PAGE"), pages, strict=False):
        shutil.copy(page, folder / name)
    crawl = crawl_of(pages[:3])
    (folder / "crawl.warc.gz").write_bytes(crawl)
    (folder / "crawl").mkdir()
    (folder / "crawl" / "0.warc.gz").write_bytes(crawl)
    (folder / "crawl.warc.zst").write_bytes(zstandard.compress(gzip.decompress(crawl)))
    with zipfile.ZipFile(folder / "crawl.wacz", "w") as archive:
        archive.writestr("archive/data.warc.gz", crawl)
    rows = [{"content": page.read_text("utf-8"), "uri": f"https://a.example/{page.name}"}
            for page in pages[:2]]  # fmt: skip
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "pages.jsonl.zst").write_bytes(zstandard.compress(lines.encode()))
    (folder / "urls.txt").write_text("page.html\nmore.html\n", "utf-8")
    threads = sorted((ROOT / "data/forum/ask-the-bookbinder").glob("*.html"))
    (folder / "threads").mkdir()
    for page in threads[:2]:
        shutil.copy(page, folder / "threads")
    (folder / "data").symlink_to(ROOT / "data")
    with_command(folder)
    return folder


@pytest.fixture
def place(desk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of these files, as the current directory; one process works."""
    folder = Path(shutil.copytree(desk, tmp_path / "desk", symlinks=True))
    monkeypatch.chdir(folder)
    monkeypatch.setattr(crfclean.parallel, "processors", lambda: 1)
    return folder


def printed(line: str, folder: Path, crfclean: Command) -> tuple[int, str]:
    """The exit code of a command, and what it prints, errors first."""
    words = shlex.split(line, comments=True)
    if words[0] != "crfclean" or "|" in words:
        return in_shell(line, folder)
    out = words[words.index(">") + 1] if ">" in words else None
    words = words[: words.index(">")] if out else words
    arguments = [path for word in words[1:] for path in (word_paths(word) if "*" in word else [word])]
    done = crfclean(*arguments)
    if out:
        Path(out).write_text(done.out, "utf-8")
    return done.code, done.err + ("" if out else done.out)


def word_paths(word: str) -> list[str]:
    """The files that a pattern of a shell stands for; the word itself if there are none."""
    return sorted(glob(word)) or [word]


@pytest.mark.parametrize("name", [name for name, lines in PAGES.items() if lines])
def test_commands_of_a_page(name: str, place: Path, crfclean: Command) -> None:
    for command, output in PAGES[name]:
        if reason(command):
            continue
        code, text = printed(command.strip(), place, crfclean)
        if output is None:
            assert code == 0, f"{command}\n{text}"
        else:
            assert close(output, text), f"{command}\nthe page has:\n{output}\nbut printed:\n{text}"
