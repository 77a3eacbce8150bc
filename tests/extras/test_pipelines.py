"""Runs the examples of docs/pipelines.md: with the packages where they are, else with stand-ins."""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from checkout import ROOT
from standins import stand_in
from warcs import record

import crfclean
from crfclean.teach.gold import GoldPage
from crfclean.types import CrfcleanError, Page
from crfclean.web.inspection import Inspection, inspect

_SECTION = re.compile(r"^## ([^\n]+)\n(?:(?!^## ).)*?```python\n(.*?)```", re.DOTALL | re.MULTILINE)
TEXT = (ROOT / "docs" / "pipelines.md").read_text("utf-8")
EXAMPLES = dict(_SECTION.findall(TEXT))
COLUMNS = ["url", "text", "status", "score", "truncated"]
FIRST = ["Plain Python", "multiprocessing", "datatrove", "Spark", "spaCy"]


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


def test_every_block_of_code_is_run() -> None:
    assert len(EXAMPLES) == len(re.findall("```python", TEXT))
    tests = Path(__file__).read_text("utf-8")
    run_here = set(re.findall(r'\(\s*"([^"]+)"', tests))
    assert run_here >= set(EXAMPLES)


def test_the_first_examples_have_five_lines() -> None:
    assert list(EXAMPLES)[:5] == FIRST
    assert [len(EXAMPLES[name].replace("\n\n", "\n").splitlines()) for name in FIRST] == [5] * 5


def test_every_adapter_has_its_example() -> None:
    elsewhere = "adapter mcp page_tools ray ray_shards tool_limits tool_worker".split()
    for path in (ROOT / "crfclean" / "extras").glob("[a-z]*.py"):
        name = f"crfclean.extras.{path.stem}"
        examples = [text for text in EXAMPLES.values() if re.search(rf"\b{name}\b", text)]
        assert len(examples) == 1 or path.stem in elsewhere, path.stem


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
    lines = capsys.readouterr().out
    run("multiprocessing", __name__="__main__")
    assert lines == capsys.readouterr().out
    for html in pages.values():
        document = crfclean.clean(html)
        assert lines.count(f"{document.title} {document.text}") == 1


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
    )
    assert min(found["scores"]) > 0.7
    assert [one.shape for one in found["marginals"]] == [(len(one), 3) for one in found["labels"]]
    assert crfclean.load(place / "my-model")


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


def test_spacy(files: dict[str, str]) -> None:
    pytest.importorskip("spacy", reason="pip install spacy")
    texts = [doc.text for doc in run("spaCy")["docs"]]
    assert sorted(texts) == sorted(map(crfclean.extract, files.values()))
    made = run("spaCy, with places", pages=files)
    assert [doc.text for doc in made["docs"]] == [page.text for page in made["documents"]]
    for doc, document in zip(made["docs"], made["documents"], strict=True):
        spans = doc.spans["blocks"]
        assert [span.text for span in spans] == [document.blocks[i].text for i in document.kept]
        assert {span.label_ for span in spans} >= {"TITLE", "PARAGRAPH"}
        assert spans[0].id_ == document.blocks[document.kept[0]].xpath
    assert made["place"].text == made["sentence"].text.strip()


def test_nemo_curator(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    where = "nemo_curator.stages.text.download"
    stages = {"CommonCrawlDownloadExtractStage": lambda *_, **named: made.append(named)}
    stand_in(monkeypatch, where, **stages)
    algorithm = type("HTMLExtractorAlgorithm", (), {})
    stand_in(monkeypatch, f"{where}.html_extractors", HTMLExtractorAlgorithm=algorithm)
    monkeypatch.delitem(sys.modules, "crfclean.extras.nemo", raising=False)
    run("NeMo Curator")
    assert isinstance(
        made[0]["html_extraction"], sys.modules["crfclean.extras.nemo"].CrfcleanAlgorithm
    )
    del sys.modules["crfclean.extras.nemo"]


def test_dolma(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []
    known: list[str] = []
    pipeline = {"create_and_run_warc_pipeline": lambda *_, **named: calls.append(named)}
    registry = type("Registry", (), {"add": lambda name: known.append(name) or (lambda kind: kind)})
    parts = {"BaseLinearizer": type("BaseLinearizer", (), {}), "LinearizerRegistry": registry}
    stand_in(monkeypatch, "dolma.warc", **pipeline)
    stand_in(monkeypatch, "dolma.warc.linearizers", **parts)
    monkeypatch.delitem(sys.modules, "crfclean.extras.dolma", raising=False)
    run("dolma", __name__="__main__")
    assert [call["linearizer_name"] for call in calls] == known == ["crfclean"]
    del sys.modules["crfclean.extras.dolma"]


class Column:
    """A column of Spark as far as the examples need it: rows -> value."""

    def __init__(self, value: Callable[[dict[str, Any]], Any], name: str = "") -> None:
        self.value, self.name = value, name

    def alias(self, name: str) -> Column:
        return Column(self.value, name)


class Frames:
    """What the examples ask of Spark: a table that is read, whose columns are chosen, written."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.rows = rows
        self.read = self.write = self.builder = self

    def getOrCreate(self) -> Frames:  # noqa: N802
        return self

    def parquet(self, _: str) -> Frames:
        return self

    def select(self, *columns: Column | str) -> Frames:
        self.rows = [{k: v for c in columns for k, v in chosen(row, c)} for row in self.rows]
        return self


def chosen(row: dict[str, Any], column: Column | str) -> list[tuple[str, Any]]:
    """The values of a row that a column names."""
    if isinstance(column, Column):
        return [(column.name, column.value(row))]
    name, _, fields = column.partition(".")
    return list(row[name].items()) if fields else [(name, row[name])]


def udf(function: Any) -> Any:
    """A function of columns, which may be declared with its type first."""
    if isinstance(function, str):
        return udf
    return lambda *names: Column(lambda row: function(*(row[name] for name in names)))


def spark_rows(name: str, pages: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Any:
    """The rows that an example writes."""
    frames = Frames([{"url": url, "html": html} for url, html in pages.items()])
    session = type("SparkSession", (), {"builder": frames})
    stand_in(monkeypatch, "pyspark.sql", SparkSession=session)
    stand_in(monkeypatch, "pyspark.sql.functions", udf=udf)
    run(name)
    return frames.rows


def test_spark(pages: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    rows = spark_rows("Spark", pages, monkeypatch)
    assert rows == [{"url": url, "text": crfclean.extract(html)} for url, html in pages.items()]
    rows = spark_rows("Spark, with status and score", pages, monkeypatch)
    assert [row["url"] for row in rows] == list(pages)
    for row in rows:
        assert list(row) == COLUMNS
        assert row["text"] == crfclean.extract(pages[row["url"]], as_="article")
        assert row["status"] == "ok"


def test_a_tagger_of_your_own(pages: dict[str, str]) -> None:
    html = next(iter(pages.values()))
    made = run("A tagger of your own", html=html)
    tagger, page = made["LongBlocks"](), Page(html)
    assert made["text"] == crfclean.clean(html, model=tagger).text != ""
    view = inspect(page, tagger, Inspection(reasons=1))
    reasons = {block["index"]: block["reasons"][0] for block in view["blocks"]}
    assert {reason["feature"] for reason in reasons.values()} == {"words"}
    with pytest.raises(CrfcleanError, match="threshold: the tagger long makes"):
        inspect(page, tagger, Inspection(threshold=0.5))
