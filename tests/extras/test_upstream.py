"""Tests of packaging/upstream: files for other projects, with those projects' own base classes."""

from __future__ import annotations

import gzip
import importlib.util
import json
import pickle
import sys
from abc import ABC, abstractmethod
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from checkout import ROOT
from hostile import HOSTILE
from standins import sources, stand_in

import crfclean
from eval.boards import aeb

UPSTREAM = ROOT / "packaging" / "upstream"
EMPTY = "<html><body><script>1</script></body></html>"


@pytest.fixture(scope="module")
def pages(demo: Path) -> dict[str, str]:
    """Name -> page, for some of the demo pages."""
    files = sorted((demo / "moorland-gazette").glob("*.html"))
    return {file.stem: file.read_text("utf-8") for file in files}


def loaded(path: str) -> ModuleType:
    """A script of `packaging/upstream`."""
    spec = importlib.util.spec_from_file_location("script", UPSTREAM / path)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


def packed(folder: Path, pages: dict[str, str]) -> None:
    """Pages as two of the boards keep them."""
    folder.mkdir(parents=True)
    for name, html in pages.items():
        (folder / f"{name}.html.gz").write_bytes(gzip.compress(html.encode()))


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_datatrove(pages: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    extractors = pytest.importorskip(
        "datatrove.pipeline.extractors", reason="pip install 'crfclean[datatrove]'"
    )
    data = import_module("datatrove.data")
    folder = UPSTREAM / "datatrove/src/datatrove/pipeline/extractors"
    monkeypatch.setattr(extractors, "__path__", [*extractors.__path__, str(folder)])
    made = import_module("datatrove.pipeline.extractors.crfclean").Crfclean(as_="article")
    given = [data.Document(html, name) for name, html in [*pages.items(), ("empty", EMPTY)]]
    found = {each.id: each.text for each in pickle.loads(pickle.dumps(made)).run(given)}
    assert found == {name: crfclean.extract(html, as_="article") for name, html in pages.items()}
    html = next(iter(pages.values()))
    assert type(made)(format="md").extract(html) == crfclean.extract(html, format="md")


def test_nemo_curator(pages: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    inside = "nemo_curator/stages/text/download/html_extractors"
    package = inside.replace("/", ".")
    sources(monkeypatch, package, UPSTREAM / "nemo-curator" / inside)
    made = import_module(f"{package}.crfclean").CrfcleanExtractor()
    assert isinstance(made, import_module(f"{package}.base").HTMLExtractorAlgorithm)
    for html in pages.values():
        paragraphs = pickle.loads(pickle.dumps(made)).extract_text(html, frozenset(), "THAI")
        assert "\n".join(paragraphs) == crfclean.extract(html)
    for html in HOSTILE.values():
        found = made.extract_text(html if isinstance(html, str) else "", frozenset(), "ENGLISH")
        assert found is None or all(found)


def test_webmainbench(pages: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("html2text", reason="pip install --no-deps html2text")
    package = "webmainbench.extractors"
    sources(monkeypatch, "webmainbench.utils")
    sources(monkeypatch, package, UPSTREAM / "webmainbench/webmainbench/extractors")
    factory = import_module(f"{package}.factory").ExtractorFactory
    import_module(f"{package}.crfclean_extractor")
    made = factory.create("crfclean")
    assert factory.get_info("crfclean")["version"] == version("crfclean")
    convert = import_module("webmainbench.utils.main_html").HTML2TextWrapper()
    for name, html in pages.items():
        document = crfclean.clean(html, f"https://example.org/{name}")
        result = made.extract(html, f"https://example.org/{name}")
        assert (result.success, result.main_html) == (True, document.html())
        assert result.content == convert(document.html())
        assert result.content.strip().startswith(f"# {document.title}")
        assert result.title == document.title
        assert result.publish_date == (document.date or None)
    result = made.extract(EMPTY)
    assert (result.success, result.main_html, result.content.strip()) == (True, "", "")


def test_mineru_html(pages: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Its base class is on no package index: a stand-in asks for what it asks for."""

    class MainHTMLExtractor(ABC):
        def __init__(self) -> None:
            self.format = None
            self.set_format()

        @abstractmethod
        def set_format(self) -> None: ...

        @abstractmethod
        def extract_main_html(self, input_html: str, url: str) -> str: ...

    package = "eval_baselines.baselines"
    stand_in(monkeypatch, f"{package}.base", MainHTMLExtractor=MainHTMLExtractor)
    folder = UPSTREAM / "mineru-html/eval_baselines/baselines"
    sys.modules[package].__path__ = [str(folder)]
    module = import_module(f"{package}.crfclean")
    monkeypatch.delitem(sys.modules, f"{package}.crfclean")
    made: list[Any] = [module.Crfclean_HTML_MD_Extractor(), module.Crfclean_HTML_Text_Extractor()]
    names = [(each.name_str, each.format_str, each.format) for each in made]
    assert names == [("crfclean", "html-md", "MD"), ("crfclean", "html-text", "TEXT")]
    html = next(iter(pages.values()))
    assert made[0].extract_main_html(html, "") == crfclean.clean(html).html()
    assert made[0].extract_main_html(EMPTY, "") == ""


def test_article_extraction_benchmark(
    pages: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the script writes is what `eval.boards.aeb --out` writes."""
    packed(tmp_path / "html", pages)
    (tmp_path / "output").mkdir()
    monkeypatch.chdir(tmp_path)

    def write(path: Path, *, output: Any, version: str) -> None:
        written = {"version": version, "output": output}
        path.write_text(json.dumps(written, sort_keys=True, ensure_ascii=False, indent=4), "utf-8")

    stand_in(monkeypatch, "output_util", python_dist_version=version, write_output_json=write)
    loaded("article-extraction-benchmark/extractors/run_crfclean.py").main()
    texts = {name: crfclean.extract(html, as_="body") for name, html in pages.items()}
    aeb.write(tmp_path, "crfclean", [], texts)
    written, expected = (path / "crfclean.json" for path in (tmp_path / "output", tmp_path))
    assert written.read_text("utf-8") == expected.read_text("utf-8")


def test_wcxb(pages: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed(tmp_path / "dev" / "html", pages)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["run_crfclean.py", "dev"])
    loaded("wcxb/run_crfclean.py").main()
    found = json.loads((tmp_path / "crfclean-dev.json").read_text("utf-8"))
    assert found == {name: crfclean.extract(html) for name, html in pages.items()}
