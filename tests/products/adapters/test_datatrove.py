"""Tests of `adapters/datatrove.py` with datatrove's own executor, over WARC files."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("datatrove", reason="pip install 'crfclean[datatrove]'")
pytest.importorskip("warcio", reason="pip install 'crfclean[datatrove]'")
pytest.importorskip("magic", reason="pip install 'crfclean[datatrove]'")

from datatrove.data import Document
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.readers import WarcReader
from datatrove.pipeline.writers import JsonlWriter
from hostile import HOSTILE
from warcs import record

import crfclean
from crfclean.products.adapters.datatrove import CrfcleanExtractor

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


@pytest.fixture(scope="module")
def pages(demo: Path) -> dict[str, bytes]:
    """Address -> page: the demo pages, and one without text."""
    found = {f"https://{path.parent.name}/{path.stem}": path for path in demo.rglob("*.html")}
    return {url: path.read_bytes() for url, path in found.items()} | {
        "https://example.org/empty": b"<html><body><script>1</script></body></html>"
    }


@pytest.fixture(scope="module")
def warcs(pages: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two WARC files."""
    folder = tmp_path_factory.mktemp("warcs")
    rows = list(pages.items())
    for number in range(2):
        data = b"".join(record(*row) for row in rows[number::2])
        (folder / f"{number}.warc.gz").write_bytes(data)
    return folder


def cleaned(extractor: CrfcleanExtractor, *texts: object) -> list[Document]:
    """What becomes of documents with these texts."""
    given = (Document(text, str(at)) for at, text in enumerate(texts))
    return list(extractor.run(given))


def test_warcs_are_cleaned_by_two_workers(
    warcs: Path, pages: dict[str, bytes], model: Path, tmp_path: Path
) -> None:
    executor = LocalPipelineExecutor(
        pipeline=[
            WarcReader(str(warcs)),
            CrfcleanExtractor(model=str(model)),
            JsonlWriter(str(tmp_path / "out"), compression=None),
        ],
        logging_dir=str(tmp_path / "logs"),
        tasks=2,
        workers=2,
    )
    executor.run()
    rows = [
        json.loads(line)
        for file in (tmp_path / "out").iterdir()
        for line in file.read_text("utf-8").splitlines()
    ]
    found = {row["metadata"]["url"]: row for row in rows}
    assert len(rows) == len(found) == 24
    for url, row in found.items():
        document = crfclean.clean(pages[url], url, model)
        assert row["text"] == document.text
        told = row["metadata"]
        assert (told["status"], told["model"]) == ("ok", model.name)
        assert told["title"] == document.title
        assert told["published"] == document.published
        assert (told["authors"], told["url_from"]) == (document.authors, "input")
        assert told["score"] == round(document.score, 4)
        assert told["date"] == "2026-01-02T03:04:05Z"
    stats = json.loads((tmp_path / "logs" / "stats.json").read_text("utf-8"))[1]["stats"]
    assert stats["total"] == stats["extracted"] == 25
    assert stats["dropped"] == stats["dropped_no-blocks"] == 1


def test_hostile_pages_pass_or_are_dropped(model: Path) -> None:
    page = "<html><body><p>" + "The last page is cleaned like the first. " * 9
    extractor = CrfcleanExtractor(model=str(model))
    found = cleaned(extractor, page, *HOSTILE.values(), page)
    assert {"0", str(len(HOSTILE) + 1)} <= {document.id for document in found}
    stats = extractor.stats.stats
    assert stats["extracted"].total == len(HOSTILE) + 2
    assert "timeout" not in stats
    assert "broken_process" not in stats


class Slow(CrfcleanExtractor):
    """Takes too long, or dies, on pages that say so."""

    def extract_with_facts(self, text: object, url: object = None) -> tuple[str, dict[str, Any]]:
        if text == "<p>sleep":
            time.sleep(60)
        if text == "<p>die":
            raise SystemExit(7)
        return super().extract_with_facts(text, url)


def test_pages_out_of_time_are_counted_and_the_rest_cleaned(model: Path) -> None:
    page = "<html><body><p>" + "The next page is cleaned by a new process. " * 9
    extractor = Slow(1.5, str(model))
    found = cleaned(extractor, "<p>sleep", page, "<p>die", page)
    assert [document.id for document in found] == ["1", "3"]
    assert extractor.stats.stats["timeout"].total == 1
    assert extractor.stats.stats["broken_process"].total == 1
