"""Tests of `corpus/duplicates.py`: signatures of texts, order, limits, runs that go on."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from batchpages import OVERWRITE, RESUME
from doubles import KeepLong
from jobplans import shard_job, small_parts

from crfclean.document.formats import WRITERS, write
from crfclean.document.page_text import TextWriter
from crfclean.page.align import tokens
from crfclean.pipeline import clean
from crfclean.products.corpus import duplicates as module
from crfclean.products.corpus.clean import BatchParams
from crfclean.products.corpus.duplicates import (
    BANDS,
    EXACT_DUPLICATES,
    HASHES,
    KEY_BYTES,
    NEAR_DUPLICATES,
    HashTable,
    PageIndex,
    Signer,
    minhash,
    signature,
    written_text,
)
from crfclean.products.corpus.engine import clean_batch
from crfclean.products.corpus.job import Folders, Job
from crfclean.products.corpus.jobs import DONE, DUPLICATE, Result
from crfclean.products.corpus.params import ResumeParams
from crfclean.products.corpus.rows import row_lines
from crfclean.types import Format
from crfclean.types.choices import DUPLICATE_UNITS

COUNT = 12
WORDS = [f"word{number}" for number in range(5_000)]
every_unit = pytest.mark.parametrize("unit", DUPLICATE_UNITS)


def paragraphs(seed: int) -> list[str]:
    generator = random.Random(seed)
    return [" ".join(generator.choices(WORDS, k=50)) for _ in range(6)]


def texts() -> dict[str, list[str]]:
    """Pages of which p3 is p0 again, and p4 nearly p1."""
    pages = {f"p{number}": paragraphs(number) for number in range(COUNT)}
    pages["p3"] = [text.upper() for text in pages["p0"]]
    pages["p4"] = [*pages["p1"][:5], "And now for " + pages["p1"][5]]
    return pages


GONE = {EXACT_DUPLICATES: {"p3"}, NEAR_DUPLICATES: {"p3", "p4"}}
"""The duplicates by unit."""


def html(page: list[str]) -> str:
    return "<p>Home</p>" + "".join(f"<p>{text}</p>" for text in page)


def params(unit: str, limit: int = 1_000, form: str = "txt") -> BatchParams:
    return BatchParams(KeepLong(), TextWriter(form), signer=Signer(unit, limit, form))


def corpus(path: Path, pages: dict[str, list[str]]) -> Path:
    rows = (json.dumps({"id": name, "html": html(page)}) for name, page in pages.items())
    path.write_text("\n".join(rows) + "\n", "utf-8")
    return path


def rows(path: Path) -> dict[str, Any]:
    return {row["id"]: row for row in map(json.loads, path.read_text("utf-8").splitlines())}


def contents(folder: Path, names: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob(names)}


def run(
    source: Path,
    target: Path,
    operation: BatchParams,
    workers: int = 0,
    resume: ResumeParams = OVERWRITE,
) -> list[Result]:
    return list(clean_batch([shard_job(source, target)], operation, workers, params=resume))


@every_unit
def test_rows_name_the_page_that_the_corpus_has(tmp_path: Path, unit: str) -> None:
    source, target = corpus(tmp_path / "in.jsonl", texts()), tmp_path / "out.jsonl"
    results = run(source, target, params(unit))
    assert {result.record for result in results if result.status == DUPLICATE} == GONE[unit]
    written = rows(target)
    assert list(written) == list(texts())
    row = written["p3"]
    assert (row["status"], row["text"], row["duplicate_of"]) == ("duplicate", "", "p0")
    assert not any(result.failed for result in results)


def test_a_finished_corpus_is_no_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that goes on read the whole file, as the text of a page."""
    source, target = corpus(tmp_path / "in.jsonl", texts()), tmp_path / "out.jsonl"
    run(source, target, params(EXACT_DUPLICATES))
    monkeypatch.setattr(module.Duplicates, "remember_text", None)
    assert [
        each.status for each in run(source, target, params(EXACT_DUPLICATES), resume=RESUME)
    ] == [DONE]


@every_unit
def test_a_duplicate_of_a_page_that_is_not_written_is_written(tmp_path: Path, unit: str) -> None:
    """A page without text, and one that lacks words, are nobody's original."""
    pages = {"p0": ["Home"], "p1": ["Home"], "p2": paragraphs(2)}
    source, target = corpus(tmp_path / "in.jsonl", pages), tmp_path / "out.jsonl"
    run(source, target, params(unit))
    statuses = [row["status"] for row in rows(target).values()]
    assert statuses == ["nothing-kept", "nothing-kept", "ok"]


@every_unit
@pytest.mark.parametrize("ending", ["jsonl", "jsonl.gz"])
def test_the_same_bytes_with_any_number_of_workers(tmp_path: Path, unit: str, ending: str) -> None:
    source = corpus(tmp_path / "in.jsonl", texts())
    for workers in (0, 2):
        run(source, tmp_path / f"{workers}.{ending}", params(unit), workers)
    written = [(tmp_path / f"{workers}.{ending}").read_bytes() for workers in (0, 2)]
    assert written[0] == written[1]


@every_unit
@pytest.mark.parametrize("ending", ["jsonl.gz", "csv", "parquet"])
def test_parts_of_a_directory_are_compared(
    tmp_path: Path, unit: str, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The parts have the rows of a file, also after a kill before one was compared."""
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    small_parts(monkeypatch, 3_000)
    source, out = corpus(tmp_path / "in.jsonl", texts()), tmp_path / "out"
    job = Job(source, out, kind="jsonl", shard=ending, folders=Folders("in", out))
    list(clean_batch([job], params(unit), 0))
    whole = contents(out, "*part-*")
    assert len(whole) > 6
    assert not [name for name in whole if name[0] == "."]  # no spool is left
    run(source, tmp_path / f"x.{ending}", params(unit))
    names = sorted(name for name in whole if name[0] == "p")
    lines = [line for name in names for line in row_lines(out / name, ending)]
    assert lines == list(row_lines(tmp_path / f"x.{ending}", ending))
    for path in (out / "_part-00001.json", out / f"part-00002.{ending}"):
        path.unlink()
    report = json.loads((out / "_part-00003.json").read_text()) | {"is_compared": False}
    (out / "_part-00003.json").write_text(json.dumps(report))
    results = list(clean_batch([job], params(unit), 0, params=RESUME))
    assert contents(out, "*part-*") == whole
    assert 0 < sum(not result.before for result in results) < COUNT


@every_unit
@pytest.mark.parametrize(("form", "workers"), [("txt", 0), ("md", 2), ("json", 0), ("tei", 0)])
def test_texts_of_a_directory(tmp_path: Path, unit: str, form: str, workers: int) -> None:
    """Pages that are duplicates get no file, in a run that goes on as well."""
    (tmp_path / "in").mkdir()
    for name, page in texts().items():
        (tmp_path / "in" / f"{name}.html").write_text(html(page), "utf-8")
    folders = Folders("in", tmp_path / "out")
    jobs = [
        Job(tmp_path / "in" / f"{name}.html", tmp_path / "out" / f"{name}.{form}", folders=folders)
        for name in texts()
    ]
    operation = params(unit, form=form)
    results = list(clean_batch(jobs, operation, workers))
    assert Counter(result.outcome for result in results)["ok"] == COUNT - len(GONE[unit])
    expected = {f"{name}.{form}" for name in texts() if name not in GONE[unit]}
    whole = contents(tmp_path / "out", f"p*.{form}")
    assert whole.keys() == expected
    for name in ("p1", "p7", "p8"):
        (tmp_path / "out" / f"{name}.{form}").unlink()
    again = list(clean_batch(jobs, operation, workers, params=RESUME))
    assert contents(tmp_path / "out", f"p*.{form}") == whole
    assert Counter(result.status for result in again)[DUPLICATE] == len(GONE[unit])


# hostile pages


def test_a_million_equal_lines() -> None:
    """The signature of each unit takes linear time."""
    text = "\n".join(["five words, again and again"] * 1_000_000)
    for unit in DUPLICATE_UNITS:
        assert signature(text[:2_000_000], unit)


def test_pages_that_share_a_band_cost_no_more_than_others() -> None:
    """Thousands of pages that are alike but no duplicates: a band knows its first page alone."""
    index, keys = PageIndex(), bytes(16 * 8)
    generator = random.Random(5)
    for number in range(2, 3_002):
        index.add(number.to_bytes(8, "little") + keys + generator.randbytes(128))
    assert index.original((9_999).to_bytes(8, "little") + keys + generator.randbytes(128)) is None
    assert len(index) == 3_000
    assert len(index._table) == 3_000 + 1


def test_the_most_similar_page_is_named_and_the_earlier_of_equal_ones() -> None:
    index, generator = PageIndex(), random.Random(5)
    sketch = generator.randbytes(128)
    bands = [generator.randbytes(8) for _ in range(16)]
    for number, changed in enumerate((20, 5, 5)):
        other = [generator.randbytes(8) for _ in range(16)]
        other[number] = bands[number]
        exact = generator.randbytes(8)
        index.add(exact + b"".join(other) + bytes(changed) + sketch[changed:])
    original = index.original(generator.randbytes(8) + b"".join(bands) + sketch)
    assert original is not None
    assert original[0] == 1


# signatures

HTML = """<html lang=en><head><title>Ferry &amp; ice</title>
<meta name=author content="Ann Lee"></head><body><article><h1>Ferry &amp; ice</h1>
<p>The ferry stayed in its harbour on Monday morning, since ice had covered the whole
lake &lt;again&gt;, and the passengers walked over the bridge.</p></article></body></html>"""

ENTITIES = {"amp", "lt", "gt"}


def test_words_count_not_how_they_are_written() -> None:
    assert signature("The ferry, again.", EXACT_DUPLICATES) == signature(
        "the  FERRY\nagain", EXACT_DUPLICATES
    )
    assert signature("The ferry again", EXACT_DUPLICATES) != signature(
        "The ferry", EXACT_DUPLICATES
    )


def test_sizes() -> None:
    text = "a b c d e f\nshort\ng h i j k"
    assert len(signature(text, EXACT_DUPLICATES)) == KEY_BYTES
    assert len(signature(text, NEAR_DUPLICATES)) == (1 + BANDS) * KEY_BYTES + 128


@pytest.mark.parametrize("form", WRITERS)
def test_the_words_of_every_format_are_those_of_the_text(form: Format) -> None:
    document = clean(HTML, url="https://example.org/1")
    text = written_text(write(document, form), form)
    assert [word for word in tokens(text) if word not in ENTITIES] == tokens(document.text)
    assert "Ann" not in text


def test_rows_and_texts_have_one_signature() -> None:
    signer = Signer(EXACT_DUPLICATES)
    row = json.dumps({"id": "1", "text": "The ferry"}).encode()
    assert signer.of_row(row) == signer.of_text("The ferry") != b""
    assert signer.of_row(b'{"text": null}') == b""


def test_a_hostile_text_takes_no_time() -> None:
    """Markup that never ends, in a file that another program has made."""
    for text in ("<" * 10**6, "<head>" * 10**5, "---\n" * 10**5):
        assert Signer(EXACT_DUPLICATES, format="html").of_text(text) is not None
        assert Signer(EXACT_DUPLICATES, format="md").of_text(text) is not None


def test_options_of_a_run() -> None:
    assert Signer(EXACT_DUPLICATES, 9).options == {"deduplicate": "exact", "deduplicate_limit": 9}


# MinHash


def random_words(count: int, seed: int) -> list[str]:
    generator = random.Random(seed)
    return [f"w{generator.randrange(10**6)}" for _ in range(count)]


def test_a_signature_is_the_same_whatever_is_in_memory_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = random_words(100, 3)
    whole = minhash(text)
    monkeypatch.setattr(module, "_STEP", 7)
    assert minhash(text).tolist() == whole.tolist()
    assert whole.shape == (HASHES,)
    assert whole.dtype == np.uint32


# the table of keys


@pytest.mark.parametrize("least", [1, 1_000, 2**16])
def test_it_is_a_dict_of_first_numbers(monkeypatch: pytest.MonkeyPatch, least: int) -> None:
    monkeypatch.setattr(module, "_MIN_SORTED", least)
    generator, table, expected = random.Random(1), HashTable(), dict[int, int]()
    for number in range(20_000):
        key = generator.randrange(2**64) if number % 3 else generator.randrange(5_000)
        assert table.add(key, number) == (key not in expected)
        expected.setdefault(key, number)
    assert len(table) == len(expected)
    assert {key: table.get(key) for key in expected} == expected
    assert not [key for key in range(5_000, 9_000) if key not in expected and table.get(key)]
