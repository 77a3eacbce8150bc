"""Runs those examples of docs/pipelines.md whose packages the extras have."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from checkout import ROOT
from warcs import record

import crfclean
from crfclean.products.teach.gold import GoldPage

_SECTION = re.compile(r"^## ([^\n]+)\n(?:(?!^## ).)*?```python\n(.*?)```", re.DOTALL | re.MULTILINE)
TEXT = (ROOT / "docs" / "pipelines.md").read_text("utf-8")
EXAMPLES = dict(_SECTION.findall(TEXT))


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The examples run in an empty directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def pages(demo: Path) -> dict[str, str]:
    """Address -> page, for some of the demo pages."""
    files = sorted((demo / "moorland-gazette").glob("*.html"))
    return {f"https://example.org/{file.stem}": file.read_text("utf-8") for file in files}


def run(name: str, **given: object) -> dict[str, Any]:
    """Run an example with these names known; what is known then."""
    names = {"__name__": "example", **given}
    exec(compile(EXAMPLES[name], name, "exec"), names)
    return names


@pytest.fixture
def files(pages: dict[str, str], place: Path) -> dict[str, str]:
    """The pages in a folder, as the first examples read them."""
    for url, html in pages.items():
        path = place / "pages" / url.removeprefix("https://") / "page.html"
        path.parent.mkdir(parents=True)
        path.write_text(html, "utf-8")
    return pages


@pytest.mark.usefixtures("files")
def test_plain_python(pages: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    run("Plain Python")
    documents = capsys.readouterr().out
    run("multiprocessing", __name__="__main__")
    texts = capsys.readouterr().out
    for html in pages.values():
        document = crfclean.clean(html)
        assert documents.count(f"{document.title} {document.text}") == 1
        assert texts.count(f"{document.text}\n") == 1


@pytest.mark.parametrize("workers", [1, 2])
def test_pages_are_read_when_they_are_needed(workers: int) -> None:
    """As docs/pipelines.md says: one at a time, with several processes 16 ahead in each."""
    read = 0

    def pages() -> Iterator[str]:
        nonlocal read
        for number in range(300):
            read += 1
            yield f"<p>The ferry sails at {number} in the morning, and returns in the evening."

    documents = crfclean.run_many(pages(), workers=workers)
    ahead = [read - done for done, _ in enumerate(documents)]
    assert len(ahead) == 300
    assert max(ahead) <= (1 if workers == 1 else 16 * workers + 1)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_datatrove(pages: dict[str, str], place: Path) -> None:
    for name in ("datatrove", "warcio", "magic"):
        pytest.importorskip(name, reason="pip install 'crfclean[datatrove]'")
    (place / "crawl").mkdir()
    data = b"".join(record(url, html.encode()) for url, html in pages.items())
    (place / "crawl" / "a.warc.gz").write_bytes(data)
    run("datatrove")
    files = [gzip.decompress(file.read_bytes()) for file in (place / "clean").iterdir()]
    rows = [json.loads(line) for file in files for line in file.splitlines()]
    found = {row["metadata"]["url"]: row["text"] for row in rows}
    assert found == {url: crfclean.extract(html) for url, html in pages.items()}


def test_langchain(pages: dict[str, str], place: Path) -> None:
    pytest.importorskip("langchain_core", reason="pip install 'crfclean[langchain]'")
    html = next(iter(pages.values()))
    (place / "page.html").write_text(html, "utf-8")
    found = run("LangChain", pages=pages)
    assert [one.page_content for one in found["parsed"]] == [crfclean.extract(html)]
    assert [one.metadata["source"] for one in found["clean"]] == list(pages)
    assert found["clean"][0].metadata["status"] == "ok"


def test_scikit_learn(demo_gold: list[GoldPage], place: Path) -> None:
    pytest.importorskip("sklearn", reason="pip install 'crfclean[sklearn]'")
    some = demo_gold[:12]
    found = run(
        "scikit-learn",
        pages=[gold.page for gold in some],
        texts=[gold.text for gold in some],
        sites=[gold.site for gold in some],
        classes=[gold.site for gold in some],
    )
    assert found["classifier"].score(found["pages"], found["sites"]) == 1
    assert min(found["scores"]) > 0.7
    assert [one.shape for one in found["marginals"]] == [(len(one), 3) for one in found["labels"]]
    assert crfclean.load(place / "my-model")


def test_spacy(pages: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("spacy", reason="pip install 'crfclean[spacy]'")
    html = next(iter(pages.values()))
    found = run("spaCy, with places", pages=pages, html=html)
    assert found["doc"].text == crfclean.extract(html, as_="article")
    assert [doc.text for doc in found["docs"]] == list(map(crfclean.extract, pages.values()))
    assert found["place"].text == found["sentence"].text.strip()
    assert "TITLE /html[1]/body[1]" in capsys.readouterr().out


def test_scrapy(pages: dict[str, str]) -> None:
    pytest.importorskip("scrapy", reason="pip install 'crfclean[scrapy]'")
    import asyncio

    from scrapy.utils.misc import load_object
    from scrapy.utils.test import get_crawler

    settings = {name: value for name, value in run("Scrapy").items() if name.isupper()}
    (path,) = settings["ITEM_PIPELINES"]
    pipeline = load_object(path).from_crawler(get_crawler(settings_dict=settings))
    html = next(iter(pages.values()))
    item = asyncio.run(pipeline.process_item({"html": html}))
    assert item["html"] is None
    assert 0 < len(item["text"]) <= len(crfclean.extract(html))


def test_datasets(pages: dict[str, str]) -> None:
    datasets = pytest.importorskip("datasets", reason="pip install datasets")
    rows = {"url": [*pages, "u"], "html": [*pages.values(), "<script>1</script>"]}
    datasets.Dataset.from_dict(rows).to_parquet("pages.parquet")
    run("Hugging Face datasets")
    clean = datasets.Dataset.from_parquet("clean.parquet")
    assert clean.column_names == ["url", "text", "status", "score", "truncated"]
    assert dict(zip(clean["url"], clean["text"], strict=True)) == {
        url: crfclean.extract(html, as_="article") for url, html in pages.items()
    }
