"""Tests of `products/forum/command.py`: what `forum` writes, says and returns."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from threadpages import two_pages
from warcs import record

from crfclean.cli.messages import EXIT_OK
from crfclean.metadata import read
from crfclean.metadata.values import metadata_dict
from crfclean.pipeline import clean
from crfclean.types.choices import METADATA_FORMATS

Command = Callable[..., Any]
SITE = "zahradka-forum"


@pytest.fixture
def folder(root: Path, tmp_path: Path) -> Path:
    """A site's pages, below a directory."""
    target = tmp_path / "in" / SITE
    target.mkdir(parents=True)
    for page in (root / "data" / "forum" / SITE).glob("*.html"):
        shutil.copy(page, target)
    return tmp_path / "in"


def test_a_directory_gives_a_thread_a_page(
    crfclean: Command, folder: Path, tmp_path: Path, forum_folder: Path
) -> None:
    outcome = crfclean("forum", folder, tmp_path / "out", "--model", forum_folder)
    assert outcome.code == 0
    assert outcome.told.splitlines()[-1] == "3 pages: 9 posts, 0 without, 0 failed"
    thread = json.loads((tmp_path / "out" / SITE / "1.jsonl").read_text("utf-8"))
    assert thread["topic"] == {"name": "Slimáci v salátu"}
    assert [post["author"]["name"] for post in thread["posts"]] == [
        "Bedrich",
        "mrkvicka",
        "Hana od lesa",
        "Bedrich",
    ]
    assert thread["posts"][0]["datePublished"] == "2021-05-12T07:14:00"
    assert thread["posts"][1]["text"] == "Sbírám je večer do kyblíku, jinak to nejde."
    assert "popel" in thread["posts"][1]["quotes"][0]


def test_relative_dates_need_the_day(
    crfclean: Command, tmp_path: Path, forum_folder: Path, root: Path
) -> None:
    page = tmp_path / "x.html"
    text = (root / "data" / "forum" / SITE / "1.html").read_text("utf-8")
    page.write_text(text.replace("12 kvě 2021, 07:14", "před 3 dny"), "utf-8")
    for more, wanted in (((), None), (("--fetched", "2021-05-15"), "2021-05-12")):
        outcome = crfclean("forum", page, "-", "--model", forum_folder, *more)
        first = json.loads(outcome.out)["posts"][0]
        assert first["dateCertainty"] == "relative"
        assert (first["datePublished"] or "")[:10] == (wanted or "")


# corpora


def lines(path: Path) -> list[dict[str, Any]]:
    data = path.read_bytes()
    text = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    return [json.loads(line) for line in text.splitlines()]


def posts(thread: dict[str, Any]) -> list[dict[str, Any]]:
    """Posts without what depends on the page's address."""
    return [
        post | {"url": None, "author": (post["author"] or {}).get("name")}
        for post in thread["posts"]
    ]


# threads of several pages


def thread_records(root: Path) -> list[dict[str, Any]]:
    """A thread on two pages, with pages of other hosts and threads between them."""
    site = root / "data" / "forum" / SITE
    first, second = two_pages(site / "1.html")
    other = (site / "2.html").read_text("utf-8")
    url = "https://zahradka.example/viewtopic.php?t="
    return [
        {"id": "second", "html": second, "url": f"{url}5&start=3"},
        {"id": "elsewhere", "html": first, "url": "https://other.example/viewtopic.php?t=5"},
        {"id": "other", "html": other, "url": f"{url}6"},
        {"id": "first", "html": first, "url": f"{url}5"},
    ]


@pytest.mark.parametrize("kind", ["jsonl", "warc.gz"])
def test_threads_of_a_corpus_are_joined(
    crfclean: Command, root: Path, tmp_path: Path, forum_folder: Path, kind: str
) -> None:
    pages, source = thread_records(root), tmp_path / f"in.{kind}"
    if kind == "jsonl":
        source.write_text("".join(json.dumps(page) + "\n" for page in pages), "utf-8")
    else:
        source.write_bytes(b"".join(record(page["url"], page["html"].encode()) for page in pages))
    target = tmp_path / "out.jsonl"
    done = crfclean("forum", source, target, "--model", forum_folder)
    assert (done.code, done.told.splitlines()[-1]) == (0, f"{target}: 1 page joined with others")
    second, elsewhere, other, first = lines(target)
    assert [post["number"] for post in first["posts"]] == [1, 2, 3, 4]
    assert [post["page"] for post in first["posts"]] == [1, 1, 1, 2]
    assert [post["first"] for post in first["posts"]] == [True, False, False, False]
    assert first["pages"] == [pages[3]["url"], pages[0]["url"]]
    assert (second["status"], second["posts"]) == ("joined", [])
    assert second["joinedTo"] == first["id"]
    assert (len(elsewhere["posts"]), len(other["posts"])) == (3, 3)
    before = target.read_bytes()
    again = crfclean("forum", source, target, "--model", forum_folder, "--resume")
    assert (again.code, target.read_bytes()) == (0, before)
    crfclean("forum", source, target, "--model", forum_folder, "--apart")
    assert [len(row["posts"]) for row in lines(target)] == [2, 3, 3, 3]


@pytest.mark.parametrize("ending", ["jsonl", "csv", "txt"])
def test_threads_of_a_directory_are_joined(
    crfclean: Command, root: Path, tmp_path: Path, forum_folder: Path, ending: str
) -> None:
    """Saved pages without an address, which both show the opening post; a file a page."""
    folder = tmp_path / "in"
    folder.mkdir()
    for name, page in enumerate(two_pages(root / "data" / "forum" / SITE / "1.html"), 1):
        (folder / f"{name}.html").write_text(page, "utf-8")
    options = ["--model", forum_folder, "--format", ending]
    done = crfclean("forum", folder, tmp_path / "out", *options)
    summary = "2 pages: 4 posts, 0 without, 0 failed, 1 joined with others"
    assert (done.code, done.told.splitlines()) == (0, [summary])
    first, second = ((tmp_path / "out" / f"{name}.{ending}").read_text("utf-8") for name in (1, 2))
    assert [first.count(words) for words in ("celý záhon", "kachny, dvě", "kachny zvážím")] == [
        1
    ] * 3
    assert "kachny" not in second
    again = crfclean("forum", folder, tmp_path / "out", *options, "--resume")
    assert (again.code, "2 output files done before" in again.err) == (0, True)


# the command `metadata`


LONG = "The lake froze over in January, and the ferry stayed in its harbour for three weeks. " * 3
PAGE = f"""<html lang=en><head><title>Ferry in the ice | The Leaf</title>
<meta name=author content="Ann Lee"><meta property=article:published_time content=2024-01-09>
<meta property=og:title content="Ferry in the ice"></head>
<body><h1>Ferry in the ice</h1><p>{LONG}</p><p>{LONG}</p></body></html>"""


@pytest.fixture
def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    for name in ("a.html", "b.html"):
        (tmp_path / "in" / name).write_text(PAGE, "utf-8")
    return tmp_path


@pytest.mark.parametrize("form", METADATA_FORMATS)
def test_a_directory(pages: Path, crfclean: Command, form: str) -> None:
    done = crfclean("metadata", "in", "out", "--format", form)
    assert (done.code, done.out) == (EXIT_OK, "")
    one, other = (pages / "out" / f"{name}.{form}" for name in "ab")
    assert one.read_bytes() == other.read_bytes().replace(b"in/b.html", b"in/a.html")


def test_what_is_told(pages: Path, crfclean: Command) -> None:
    done = crfclean("metadata", "in/a.html", "-", "--format", "jsonl")
    assert done.code == EXIT_OK
    told = json.loads(done.out)
    assert told == {"url": None, **json.loads(json.dumps(metadata_dict(read(clean(PAGE)))))}
    assert told["title"]["text"] == "Ferry in the ice"
    assert [one["text"] for one in told["authors"]] == ["Ann Lee"]
    assert told["published"] == {
        "text": "2024-01-09",
        "source": "meta article:published_time",
        "probability": told["published"]["probability"],
        "xpath": "/html[1]/head[1]/meta[2]",
    }
