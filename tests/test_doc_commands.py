"""The commands of README.md and docs/, run page by page, in order; their outputs are as quoted."""

from __future__ import annotations

import csv
import gzip
import json
import os
import re
import shlex
import shutil
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from email.message import EmailMessage
from mailbox import mbox
from pathlib import Path
from typing import Any

import pytest
import zstandard
from checkout import ROOT
from packages import PACKAGES, installed
from pyarrow import table
from pyarrow.parquet import write_table
from quoted import Quoted, close, in_shell, quoted, with_command
from warcs import record

import crfclean.parallel
from crfclean.page.decode import decode

Command = Callable[..., Any]

PAGES = {
    path.relative_to(ROOT).as_posix(): list(quoted(path.read_text("utf-8")))
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if path.name != "fifteen-minutes.md"  # test_docs.py presses its keys
}

NOT_RUN = {
    "pip install": "changes the environment",
    "make ": "the same",
    ".venv/": "the same",
    "pytest ": "tests",
    "crfclean serve": "a server stays; tests/products/web starts it",
    "crfclean mcp": "the same; tests/products/tools starts it",
    "crfclean annotate": "asks for keys; test_docs.py presses them",
    "https://": "the network",
    "ray start": "the extra ray",
    "--engine ray": "the same",
    "adapters.dolma": "the package dolma",
    "cwb-encode": "the program CWB",
    "--system": "the extra peers",
    "eval.forums.training": "takes minutes; tests/test_eval.py trains such a model",
}
"""What a command contains -> why it is not run."""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("F1 0.98\n", "F1  0.97", True),
        ("F1 0.98", "F1 0.58", False),
        ("F1 0.98", "F1 0.98 more", False),
        ("1,000 pages", "1,004 pages", True),
        ("a\n...\nend", "a\nb\n\nend", True),
        ("...\nend", "end", True),
        ("a … 7 end", "a b 9 end", False),
    ],
)
def test_outputs_are_compared(old: str, new: str, *, expected: bool) -> None:
    assert close(old, new) is expected


@pytest.mark.parametrize("name", PAGES)
def test_quoted_commands_are_run(name: str) -> None:
    """A block with a prompt is `console`: the commands of others would not be run."""
    fences = re.findall(
        r"^ *```(\w*)\n(.*?)^ *```$", (ROOT / name).read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    assert [text for kind, text in fences if kind != "console" and re.match(r"\$ ", text)] == []


@pytest.mark.parametrize("part", NOT_RUN)
def test_what_is_not_run_is_in_the_docs(part: str) -> None:
    assert any(part in line.command for lines in PAGES.values() for line in lines)


PREPARED = {
    "docs/eval.md": ["crfclean clean GOLD texts"],
    "docs/guides/one-site.md": ["crfclean clean pages sunday.jsonl --include site-places"],
}
"""Page -> commands for files that a reader of the page has by then."""


DEMO = ROOT / "data" / "demo"


def gold_in(folder: Path) -> None:
    """Copy the first page of each site, with its text and labels."""
    for site in sorted(DEMO.iterdir()):
        (folder / site.name).mkdir(parents=True)
        page = min(site.glob("*.html"))
        for path in site.glob(f"{page.stem}.*"):
            shutil.copy(path, folder / site.name)


def crawl_of(pages: Iterable[tuple[str, str]], day: str = "2026-01-02") -> bytes:
    """A WARC file of pages with their addresses, packed by gzip."""
    return b"".join(record(url, html.encode(), day=day) for url, html in pages)


def site_pages(day: str, template: str) -> Iterator[tuple[str, str]]:
    """Twenty pages of each of three sites; the template of one is another on some days."""
    for site in ("hafen", "anker", "kai"):
        start = f"<div class={template if site == 'hafen' else 'story'}>"
        for number in range(20):
            words = f"The catch of {number} boats came in on {day}. " * (number + 4)
            html = (
                f"<title>Boats {number}</title>{start}<h1>Boats {number}</h1><p>{words}</p></div>"
            )
            yield f"https://{site}.example/{day}/{number}", html


SENTENCE = "The ferry between Holm and the islands sails again from Monday, said the harbour master"
TEXT = "".join(f"<p>{SENTENCE}, after {number} weeks of ice.</p>" for number in range(2, 9))
STATED = json.dumps(
    {"@type": "NewsArticle", "headline": "Ice", "articleBody": f"{SENTENCE}. " * 20}
)
SAVED = {
    "article": f"<title>The ferry sails</title><h1>The ferry sails</h1>{TEXT}",
    "data": f"<title>Ice</title><script type=application/ld+json>{STATED}</script><p>Loading",
    "error": "<title>404</title><h1>Page not found</h1><p>It may have been moved.",
    "hidden": f"<title>Ice</title><p>Loading</p><div hidden><h1>Ice on the sound</h1>{TEXT}</div>",
}


FERRY = """<!doctype html><html lang=en><link rel=canonical href=https://example.org/1>
<meta name=author content="Ann Lee"><meta name=author content="Bo Orr">
<meta property=article:published_time content=2024-05-07>
<title>Ferry returns</title><h1>Ferry returns</h1>
<p>It runs from Monday &amp; Tuesday.</p></html>"""
LETTERS = "roof of the mill|bridge by the school|lamp in our lane|bench|dyke path|old clock"
LETTER = """<title>A letter: the {0}</title>
<nav><a href=/>Home</a> <a href=/letters>Letters</a></nav>
<main><h1>A letter: the {0}</h1><p>{1}</p><p>{2}</p><div class="answer"><p>Dear reader, thank you
for your letter about the {0}. We have asked the council, which promises an answer by the end of the
month, and we will print it here.</p></div></main><footer><p>© The Norwick Gazette</p></footer>"""
ASKED = """\
For three winters now the {0} has been broken, and every year the council tells us that there is no
money for it. I have written four times and nobody has answered.
|My neighbours say the same about the {0}. We would mend it ourselves if somebody gave us the wood,
the nails and one free Saturday in spring."""


def corrected_in(folder: Path) -> None:
    """Write the texts that docs/tune.md has corrected: without titles, and without answers."""
    gold_in(folder / "untitled")
    for text in (folder / "untitled").rglob("*.txt"):
        text.write_text(text.read_text("utf-8").partition("\n")[2], "utf-8")
    for labels in (folder / "untitled").rglob("*.labels.tsv"):
        labels.unlink()
    (folder / "letters").mkdir()
    for number, thing in enumerate(LETTERS.split("|")):
        asked = ASKED.format(thing).split("|")
        path = folder / "letters" / f"{number}.html"
        path.write_text(LETTER.format(thing, *asked), "utf-8")
        path.with_suffix(".txt").write_text("\n".join([f"A letter: the {thing}", *asked]), "utf-8")


def corpora_in(folder: Path, pages: Sequence[Path]) -> None:
    """Write the pages as WARC, WACZ, JSONL, Parquet, a mailbox and a list."""
    texts = [
        (f"https://{page.parent.name}.example/{page.stem}", decode(page.read_bytes()).html)
        for page in pages
    ]
    crawl = crawl_of(texts)
    (folder / "crawl").mkdir()
    for name in ("crawl.warc.gz", "crawl/0.warc.gz"):
        (folder / name).write_bytes(crawl)
    (folder / "crawl.warc.zst").write_bytes(zstandard.compress(gzip.decompress(crawl)))
    with zipfile.ZipFile(folder / "crawl.wacz", "w") as archive:
        archive.writestr("archive/data.warc.gz", crawl)
    for name, template in (("monday", "story"), ("tuesday", "item-page")):
        day = "2026-03-02" if name == "monday" else "2026-03-03"
        (folder / f"{name}.warc.gz").write_bytes(crawl_of(site_pages(day, template), day))
    lines = "".join(json.dumps({"content": html, "uri": url}) + "\n" for url, html in texts)
    (folder / "pages.jsonl.zst").write_bytes(zstandard.compress(lines.encode()))
    urls, htmls = (list(column) for column in zip(*texts, strict=True))
    columns = {"url": urls, "html": htmls, "crawl_date": ["2026-01-02"] * len(texts)}
    (folder / "dataset").mkdir()
    write_table(table(columns), folder / "dataset" / "train-00000-of-00001.parquet")
    (folder / "folder").mkdir()
    for name in ("mails.mbox", "folder/mails.mbox"):
        with closing(mbox(folder / name)) as mails:
            mail = EmailMessage()
            mail.set_content(texts[0][1], subtype="html")
            mails.add(mail)
    (folder / "urls.txt").write_text("page.html\nmore.html\n", "utf-8")


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, model: Path) -> Path:
    """The files that the pages leave to their readers."""
    folder = tmp_path_factory.mktemp("desk")
    for name in ("pages", "GOLD", "DIR", "IN", "others", "gold", "sample"):
        gold_in(folder / name)
    for labels in (folder / "pages").rglob("*.labels.tsv"):
        shutil.copy(labels, labels.with_suffix("").with_suffix(".labels.bert.tsv"))
    pages = sorted((folder / "pages").rglob("*.html"))
    for name, page in zip(("page.html", "more.html", "PAGE"), pages, strict=False):
        shutil.copy(page, folder / name)
    corpora_in(folder, pages[:3])
    corrected_in(folder)
    (folder / "ferry").mkdir()
    (folder / "ferry" / "1.html").write_text(FERRY, "utf-8")
    (folder / "saved").mkdir()
    for name, html in SAVED.items():
        (folder / "saved" / f"{name}.html").write_text(html, "utf-8")
    threads = sorted((ROOT / "data/forum/kernel-und-kuchen").glob("*.html"))
    (folder / "threads").mkdir()
    for page in threads[:2]:
        shutil.copy(page, folder / "threads")
    asked = {"html": decode(threads[0].read_bytes()).html, "tagger": "forum", "picture": True}
    (folder / "thread.json").write_text(json.dumps(asked), "utf-8")
    shutil.copytree(model, folder / "my-model")
    shutil.copytree(ROOT / "models" / "forum", folder / "my-forum")
    (folder / "data").symlink_to(ROOT / "data")
    with_command(folder)
    return folder


@pytest.fixture
def place(desk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of these files, as the current directory."""
    folder = Path(shutil.copytree(desk, tmp_path / "desk", symlinks=True))
    monkeypatch.chdir(folder)
    monkeypatch.setattr(crfclean.parallel, "processors", lambda: 1)  # quicker for a few pages
    monkeypatch.setenv("SLURM_ARRAY_TASK_ID", "1")
    return folder


# how a command is run


def run(line: str, folder: Path, crfclean: Command) -> tuple[int, str]:
    """The exit code of a command, and what it prints, errors first."""
    words = shlex.split(line, comments=True)
    if words[0] == "curl":
        return 0, answer_of_server(dict(zip(words[2::2], words[3::2], strict=True)))
    if words[:2] == ["crfclean", "audit"] and len(words) == 3:
        return judge(Path(words[2]), crfclean)
    if words[0] != "crfclean" or "|" in words or "\n" in line:
        return in_shell(line, folder)
    out = words.pop() if ">" in words else ""
    arguments = [path for word in words[1:] if word != ">" for path in named(word)]
    done = crfclean(*arguments)
    if out:
        Path(out).write_text(done.out, "utf-8")
    return done.code, done.err + ("" if out else done.out)


def named(word: str) -> list[str]:
    """The files that a pattern of the shell names; any other word stays as it is."""
    return sorted(map(str, Path().glob(word))) if word.startswith("*") else [word]


def judge(rows: Path, crfclean: Command) -> tuple[int, str]:
    """Judge a sample of a run by the gold of its pages, as a person would with `audit`."""
    code = crfclean("audit", rows, "--write").code
    sheet = rows.with_suffix(".audit.csv")
    with sheet.open(encoding="utf-8", newline="") as file:
        first, *others = csv.reader(file)
    page, text, keep = (first.index(name) for name in ("page", "text", "keep"))
    for row in others:
        gold = Path(row[page]).with_suffix(".txt").read_text("utf-8")
        row[keep] = "yes" if "".join(row[text].split()) in "".join(gold.split()) else "no"
    with sheet.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([first, *others])
    return code, ""


def answer_of_server(options: Mapping[str, str]) -> str:
    """The answer of `crfclean serve` to curl, as JSON."""
    testclient = pytest.importorskip("starlette.testclient", reason="needs crfclean[web]")
    from crfclean.products.web.app import build_app
    from crfclean.products.web.inspection import ServeParams
    from crfclean.products.web.service import answer_request, open_served

    params = ServeParams(models=("default", "links", "expert", "forum"))
    served = open_served(params.models)

    async def answer(request: Any) -> Any:
        return answer_request(request, served)

    data = options["-d"]
    body = Path(data[1:]).read_bytes() if data.startswith("@") else data.encode()
    name, _, value = options["-H"].partition(": ")
    client = testclient.TestClient(build_app(params, answer))
    done = client.post("/extract", content=body, headers={name: value})
    return json.dumps(done.json(), ensure_ascii=False)


@pytest.mark.skipif(os.name == "nt", reason="the commands are written for a Unix shell")
@pytest.mark.parametrize("name", [name for name, lines in PAGES.items() if lines])
def test_commands_of_a_page(name: str, place: Path, crfclean: Command, tmp_path: Path) -> None:
    packages = [path.name for path in PACKAGES.iterdir()] if name.endswith("extending.md") else []
    prepared = map(Quoted, PREPARED.get(name, []))
    with installed(tmp_path / "packages", *packages):
        for command, output in [*prepared, *PAGES[name]]:
            if command.lstrip().startswith("#") or any(part in command for part in NOT_RUN):
                continue
            code, text = run(command.strip(), place, crfclean)
            assert code == 0 or output, f"{command}\n{text}"
            assert output is None or close(output, text), f"{command}\n{output}\nis now\n{text}"
