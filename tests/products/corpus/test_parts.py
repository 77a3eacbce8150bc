"""Tests of `corpus/parts.py` and `corpus/folder.py`: kills, full disks, changed inputs, retries."""

from __future__ import annotations

import json
import os
import resource
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from batchpages import GOOD, OVERWRITE, PARAMS, RESUME, RETRY
from doubles import KeepLong
from jobplans import jobs_of, small_parts
from killing import killed_before
from warcs import record

from crfclean.document.page_text import FAILED, TextWriter
from crfclean.document.parts import DEFAULT_SHOW
from crfclean.products.corpus import locks as resume
from crfclean.products.corpus import parts
from crfclean.products.corpus.clean import BatchParams
from crfclean.products.corpus.duplicates import Signer
from crfclean.products.corpus.engine import clean_batch
from crfclean.products.corpus.folder import CORPUS_MANIFEST
from crfclean.products.corpus.jobs import DONE, PageInput, Result
from crfclean.products.corpus.outputs import RECORD
from crfclean.products.corpus.params import Fields, PageLimits, ResumeParams
from crfclean.products.corpus.parts import RETRIED, RowFile, is_retried
from crfclean.products.corpus.records import Record
from crfclean.products.corpus.rows import PACKERS, row_lines
from crfclean.types import Blocks, CrfcleanError, Tags

FRESH = ResumeParams()
PLAIN = replace(PARAMS, writer=TextWriter(show=replace(DEFAULT_SHOW, metadata=False)))
COUNT, MAX_STEPS = 6, 200
NEEDS = {"jsonl.zst": "zstandard", "parquet": "pyarrow"}
OUTS = [*(f"x.{ending}" for ending in PACKERS), "folder/"]
every_out = pytest.mark.parametrize("out", OUTS)
fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for a lock, and parts have two pages."""
    monkeypatch.setattr(resume, "PATIENCE", 0.0)
    small_parts(monkeypatch, 200, 2)


def page(number: int) -> str:
    return f"{GOOD}<p>This is page number {number} of many.</p>"


def corpus(path: Path, count: int = COUNT) -> Path:
    rows = ({"id": f"p{number}", "html": page(number)} for number in range(count))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def folder_of(path: Path, count: int) -> Path:
    path.mkdir()
    for number in range(count):
        (path / f"{number}.html").write_text(page(number))
    return path


def clean(
    source: Path,
    target: str,
    params: ResumeParams = FRESH,
    operation: Any = PLAIN,
    workers: int = 0,
) -> Counter[str]:
    """Clean a corpus; counts of outcomes, those of earlier runs as "before"."""
    counts = Counter[str]()
    for result in clean_batch(jobs_of(str(source), target), operation, workers, params=params):
        counts.update({"before": result.before.total()} if result.before else [result.outcome])
    return counts


def content(folder: Path) -> dict[str, bytes]:
    """All that a run has written, but for the times in it."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != RECORD]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


def needed(out: str) -> None:
    for ending, module in NEEDS.items():
        if out.endswith(ending):
            pytest.importorskip(module)


# kills


@fork
@every_out
def test_kill_before_any_step(tmp_path: Path, place: Path, out: str) -> None:
    """Whatever was done before the kill, a run that resumes gives the bytes of one unkilled."""
    needed(out)
    source, target = corpus(tmp_path / "in.jsonl"), f"{place}/{out}"
    clean(source, target)
    whole, again = content(place), 0
    for step in range(0, MAX_STEPS, 2 if out == "x.jsonl.gz" else 9):
        for path in sorted(place.rglob("*"), reverse=True):
            path.unlink() if path.is_file() else path.rmdir()
        killed = killed_before(step, lambda: clean(source, target))
        counts = clean(source, target, RESUME)
        assert content(place) == whole, f"killed before step {step}"
        assert counts[DONE] == 1 or counts["ok"] + counts["before"] == counts.total() == COUNT
        again += 0 < counts["before"] < COUNT
        if not killed:
            break
    assert again
    assert step < MAX_STEPS - 9


@fork
def test_kill_before_any_step_of_a_directory_of_texts(tmp_path: Path, place: Path) -> None:
    source = folder_of(tmp_path / "in", 4)
    clean(source, f"{place}/")
    whole = content(place)
    for step in range(0, MAX_STEPS, 3):
        for path in list(place.iterdir()):
            path.unlink()
        killed = killed_before(step, lambda: clean(source, f"{place}/"))
        clean(source, f"{place}/", RESUME)
        assert content(place) == whole, f"killed before step {step}"
        if not killed:
            break
    assert 10 <= step < MAX_STEPS - 3


# what a corpus is


@every_out
@pytest.mark.parametrize("kind", ["pages", "lines"])
def test_parts_are_the_same_with_any_number_of_runs(
    tmp_path: Path, place: Path, out: str, kind: str
) -> None:
    """One process, two workers, and three runs that share the parts: the same rows and bytes."""
    needed(out)
    source = folder_of(tmp_path / "in", 9) if kind == "pages" else corpus(tmp_path / "in.jsonl", 9)
    if kind == "pages" and out == "folder/":
        return  # they become texts
    targets = [f"{place}/{name}/{out}" for name in ("one", "two", "shares")]
    clean(source, targets[0])
    clean(source, targets[1], workers=2)
    shares = [
        clean(source, targets[2], ResumeParams(share=(number, 3)))["ok"] for number in (2, 1, 3)
    ]
    assert sum(shares) == 9 > max(shares)
    assert clean(source, targets[2], RESUME) == {"before": 9}
    first, *others = (content(place / name) for name in ("one", "two", "shares"))
    assert all(other == first for other in others)


def test_shares_of_several_warc_files_leave_no_page_to_another_run(
    tmp_path: Path, place: Path
) -> None:
    """The end of one file said nothing of where the next own part of another file begins."""
    (tmp_path / "in").mkdir()
    for name in ("a", "b"):
        pages = (record(f"https://{name}.example/{n}", page(n).encode()) for n in range(6))
        (tmp_path / "in" / f"{name}.warc").write_bytes(b"".join(pages))
    shares = [
        clean(tmp_path / "in", f"{place}/", ResumeParams(share=(number, 2)))["ok"]
        for number in (1, 2)
    ]
    assert sum(shares) == 12 > max(shares)


def test_a_directory_has_parts_reports_and_a_manifest(tmp_path: Path, place: Path) -> None:
    source = corpus(tmp_path / "in.jsonl", 5)
    source.write_text(source.read_text() + "torn\n")
    clean(source, f"{place}/folder/", FRESH, replace(PLAIN, min_score=0.9))
    names = sorted(path.name for path in (place / "folder").glob("[!.]*"))
    numbers = [f"{number:05}" for number in range(len(names) // 2)]
    assert names == sorted(
        [
            CORPUS_MANIFEST,
            *(f"_part-{n}.json" for n in numbers),
            *(f"part-{n}.jsonl.gz" for n in numbers),
        ]
    )
    manifest = json.loads((place / "folder" / CORPUS_MANIFEST).read_text())
    assert manifest["counts"] == {"low-score": 5, "failed": 1, "left_out": 0}
    assert (manifest["finished"], manifest["parts"]) == (True, len(numbers))
    assert manifest["options"]["source"] == str(source)
    reports = [json.loads((place / "folder" / f"_part-{n}.json").read_text()) for n in numbers]
    failures = [tuple(each) for report in reports for each in report["failures"]]
    assert failures[-1] == (
        f"{source}: 6",
        FAILED,
        "line 6: no JSON: Expecting value: line 1 column 1 (char 0)",
    )
    assert failures[0] == (f"{source}: p0", "low-score", "its score 0.7500 is below 0.9")


def test_parts_of_another_program_are_not_mixed(tmp_path: Path, place: Path) -> None:
    (place / "part-00007.jsonl.gz").write_bytes(b"of Spark")
    source = corpus(tmp_path / "in.jsonl", 2)
    with pytest.raises(CrfcleanError, match="has parts of another program: --overwrite removes"):
        clean(source, f"{place}/")
    assert (place / "part-00007.jsonl.gz").read_bytes() == b"of Spark"
    assert clean(source, f"{place}/", OVERWRITE) == {"ok": 2}
    assert not (place / "part-00007.jsonl.gz").exists()


@pytest.mark.parametrize("out", ["x.jsonl", "folder/"])
def test_an_unfinished_corpus_is_not_lost(tmp_path: Path, place: Path, out: str) -> None:
    source, target = corpus(tmp_path / "in.jsonl"), f"{place}/{out}"
    begin(source, target, 3)
    before = content(place)
    with pytest.raises(CrfcleanError, match=r"an unfinished run: --resume continues it"):
        clean(source, target)
    with pytest.raises(CrfcleanError, match=r"cannot be continued: its input was .*in\.jsonl"):
        clean(corpus(tmp_path / "other.jsonl"), target, RESUME)
    assert {name: before[name] for name in before if "part-" in name}.items() <= content(
        place
    ).items()
    assert clean(source, target, OVERWRITE) == {"ok": COUNT}


# inputs that change


def begin(source: Path, target: str, count: int) -> None:
    """Do the first pages of a corpus."""
    results = clean_batch(jobs_of(str(source), target), PLAIN, 0)
    for _ in range(count):
        next(results)
    results.close()


def _add(folder: Path, name: str = "91.html") -> None:
    (folder / name).write_text(page(91))


CHANGES: dict[str, tuple[Callable[[Path], object], int]] = {
    "nothing": (lambda folder: None, 6),
    "the first page gone": (lambda folder: (folder / "0.html").unlink(), 0),
    "a page more": (_add, 6),
    "a page more before": (lambda folder: _add(folder, "22.html"), 2),
    "another text": (lambda folder: (folder / "2.html").write_text(page(2) * 2), 4),
    "another time": (lambda folder: os.utime(folder / "2.html", (1, 1)), 4),
}
"""Change of a directory of nine pages, of which six are done -> pages that stay done."""


@pytest.mark.parametrize("name", CHANGES)
def test_parts_whose_input_has_changed_are_done_again(
    tmp_path: Path, place: Path, name: str
) -> None:
    source, (change, stay) = folder_of(tmp_path / "in", 9), CHANGES[name]
    begin(source, f"{place}/x.jsonl", 6)
    change(source)
    counts = clean(source, f"{place}/x.jsonl", RESUME)
    assert counts["before"] == stay
    assert counts.total() == len(list(source.iterdir()))
    clean(source, f"{place}/y.jsonl")
    assert (place / "x.jsonl").read_bytes() == (place / "y.jsonl").read_bytes()


def test_parts_of_inputs_that_are_gone_are_removed(tmp_path: Path, place: Path) -> None:
    source = corpus(tmp_path / "in.jsonl", 9)
    clean(source, f"{place}/folder/")
    os.utime(corpus(source, 3), (1, 1))
    assert clean(source, f"{place}/folder/", RESUME) == {"ok": 3}
    clean(source, f"{place}/other/")
    assert content(place / "folder") == content(place / "other")


# disks that are full


@fork
@every_out
def test_full_disk(tmp_path: Path, place: Path, out: str) -> None:
    """The output stays unfinished, wherever the disk is full; a run that resumes ends it."""
    needed(out)
    source, target = corpus(tmp_path / "in.jsonl"), f"{place}/{out}"
    clean(source, target)
    whole, told = content(place), set[str]()
    for limit in (60, 900, 1_700, 3_300):
        for path in sorted(place.rglob("*"), reverse=True):
            path.unlink() if path.is_file() else path.rmdir()
        told |= limited(limit, source, target, tmp_path / "said")
        finished = content(place) == whole
        if Path(target).is_file():
            assert Path(target).read_bytes() == whole[out]
        counts = clean(source, target, RESUME)
        assert finished or counts == {DONE: 1} or counts.total() == COUNT
        assert content(place) == whole
    assert any("cannot be written: File too large" in message for message in told)


def limited(limit: int, source: Path, target: str, said: Path) -> set[str]:
    """Messages of a run in which no file may have more bytes."""
    if not (child := os.fork()):
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            results = list(clean_batch(jobs_of(str(source), target), PLAIN, 0))
            messages = [result.message for result in results if result.status == FAILED]
        except CrfcleanError as error:
            messages = [str(error)]
        os.write(pipe[1], "\n".join(["said:", *messages]).encode())
        os._exit(0)
    os.waitpid(child, 0)
    return set(os.read(pipe[0], 10_000).decode().splitlines())


pipe = os.pipe()


# pages that are tried again


class Fails(KeepLong):
    """A tagger that fails at two pages."""

    def tag(self, blocks: Blocks) -> Tags:
        if "number 0 of" in blocks.texts[-1] or "number 5 of" in blocks.texts[-1]:
            raise ValueError("this page")
        return super().tag(blocks)


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> BatchParams:
    monkeypatch.setattr(parts, "RETRIED", {("error", ""): "it is fine now"})
    return replace(PLAIN, tagger=Fails())


def test_failed_pages_are_tried_again(tmp_path: Path, place: Path, failing: BatchParams) -> None:
    """Only their parts are cleaned again; the bytes are those of a run in which no page failed."""
    source, target = corpus(tmp_path / "in.jsonl", 9), f"{place}/folder/"
    clean(source, target)
    whole = content(place)
    assert clean(source, target, OVERWRITE, failing) == {"failed": 2, "ok": 7}
    counts = clean(source, target, RETRY)
    assert counts["ok"] + counts["before"] == 9
    assert 2 <= counts["ok"] <= 6
    assert content(place) == whole
    assert clean(source, target, RETRY) == {"before": 9}


@pytest.mark.parametrize("unfinished", [False, True])
def test_no_page_of_a_file_is_tried_again(
    tmp_path: Path, place: Path, failing: BatchParams, *, unfinished: bool
) -> None:
    """Its parts are gone; a run that is refused changes nothing."""
    source, target = corpus(tmp_path / "in.jsonl"), f"{place}/x.jsonl"
    if unfinished:
        begin(source, target, 3)
    else:
        clean(source, target, FRESH, failing)
        assert list(content(place)) == ["x.jsonl"]
    before = content(place)
    with pytest.raises(CrfcleanError, match="is one file, and --retry-failed repeats parts of a"):
        clean(source, target, RETRY)
    assert content(place) == before


@fork
@pytest.mark.parametrize("again", [RESUME, RETRY])
def test_killed_retries_go_on(
    tmp_path: Path, place: Path, failing: BatchParams, again: ResumeParams
) -> None:
    source, target = corpus(tmp_path / "in.jsonl"), f"{place}/folder/"
    clean(source, target)
    whole = content(place)
    for step in range(0, MAX_STEPS, 5):
        clean(source, target, OVERWRITE, failing)
        killed = killed_before(step, lambda: clean(source, target, RETRY))
        clean(source, target, again)
        if again is RESUME:  # it was killed before all parts were dropped
            clean(source, target, RETRY)
        assert content(place) == whole, f"killed before step {step}"
        if not killed:
            break
    assert step >= 6


@pytest.mark.parametrize("failure", RETRIED)
def test_what_is_retried(failure: tuple[str, str]) -> None:
    status, message = failure
    assert is_retried(Result(jobs_of("-", "-")[0], status, message + " and more"))
    assert RETRIED[failure].strip()


# sites


@dataclass(frozen=True)
class Together:
    """Rows that name the pages which were read together; a page may end its process."""

    limits: PageLimits = field(default_factory=PageLimits)
    fields: Fields = field(default_factory=Fields)
    site_pages: int = 3
    signer: Signer | None = None
    by_site: bool = False
    columns: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    def prepare(self, inputs: tuple[PageInput, ...]) -> None:
        """Do nothing."""

    def make(self, inputs: Sequence[PageInput]) -> Sequence[Result]:
        """A row for each page."""
        records = [each.record for each in inputs]
        if any(record.data == "exit" for record in records):
            os._exit(3)
        if any(record.data == "fail" for record in records):
            raise ZeroDivisionError("a bug")
        names = " ".join(record.id for record in records)
        return [
            Result(each.job, "ok", record=record.id, line=self.lost_row(record, "ok", names))
            for each, record in zip(inputs, records, strict=True)
        ]

    def site_texts(self, record: Record) -> tuple[str, Sequence[int]]:
        """No texts are counted."""
        return "", ()

    def lost_row(self, record: Record, status: str, message: str) -> bytes:
        """What is known of a page."""
        return json.dumps({"id": record.id, "status": status, "message": message}).encode() + b"\n"


SITES = {
    "one site": ("xxx", "", ["0 1 2"] * 3),
    "two": ("xxyyx", "", ["0 1", "0 1", "2 3", "2 3", "4"]),
    "no site": ("---", "", ["0", "1", "2"]),
    "a page without a site between": ("x-x", "", ["0", "1", "2"]),
    "many": ("xxxxx", "", ["0 1 2"] * 3 + ["3 4"] * 2),
    "a page that ends its process": (
        *("xxxxx", "-e"),
        ["0", "its process ended (exit code 3)", "2", "3 4", "3 4"],
    ),
    "a page that fails": ("xxxyy", "---f", ["0 1 2"] * 3 + ["ZeroDivisionError: a bug", "4"]),
    "two of a site": (
        *("xxxy", "e-e"),
        ["its process ended (exit code 3)", "1", "its process ended (exit code 3)", "3"],
    ),
}
"""Sites of pages, what they do, and the messages of their rows."""


@pytest.mark.parametrize("name", SITES)
def test_pages_of_one_site_are_read_together(
    tmp_path: Path, place: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_parts(monkeypatch, 10**6)
    sites, orders, messages = SITES[name]
    deeds = [{"e": "exit", "f": "fail"}.get(order, "page") for order in orders.ljust(len(sites))]
    rows = [
        {"id": str(n), "html": deed, "url": None if site == "-" else f"https://{site}.org/{n}"}
        for n, (site, deed) in enumerate(zip(sites, deeds, strict=True))
    ]
    source = tmp_path / "in.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    clean(source, f"{place}/x.jsonl", FRESH, Together(), workers=1)
    made = [json.loads(line) for line in row_lines(place / "x.jsonl", "jsonl")]
    assert [row["id"] for row in made] == [str(n) for n in range(len(sites))]
    assert [row["message"] for row in made] == messages


# lost workers


def test_a_file_of_rows_has_its_name_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl.gz"
    file = RowFile(path, "jsonl.gz")
    file.__enter__().add(b"{}\n")
    file.__exit__(ZeroDivisionError)
    assert not list(tmp_path.iterdir())
    with RowFile(path, "jsonl.gz"):
        pass
    assert list(row_lines(path, "jsonl.gz")) == []
    assert path.read_bytes()[:2] == b"\x1f\x8b"


def test_files_of_others_stay(tmp_path: Path, place: Path, failing: BatchParams) -> None:
    """Nothing but what runs write is removed, wherever it lies."""
    source, names = corpus(tmp_path / "in.jsonl"), ("notes.txt", ".hidden", "part-1.txt")
    for folder in (place / "x.jsonl.parts", place / "folder"):
        folder.mkdir()
        for name in names:
            (folder / name).write_text("kept")
    for out in ("x.jsonl", "folder/"):
        clean(source, f"{place}/{out}", OVERWRITE, failing)
        clean(source, f"{place}/{out}", RETRY if out == "folder/" else RESUME)
        clean(source, f"{place}/{out}", OVERWRITE)
    assert {path.name for path in (place / "x.jsonl.parts").iterdir()} == set(names)
    for folder in (place / "x.jsonl.parts", place / "folder"):
        assert [(folder / name).read_text() for name in names] == ["kept"] * 3


def test_runs_that_share_a_corpus_leave_each_other_alone(tmp_path: Path, place: Path) -> None:
    """A run ends, or begins, while another is inside a part."""
    source, target = corpus(tmp_path / "in.jsonl"), f"{place}/x.jsonl"
    shares = [ResumeParams(share=(number, 9)) for number in (1, 2, 8)]
    spool = place / "x.jsonl.parts" / ".part-00000.other.spool"

    def act() -> bool:
        if spool.parent.is_dir() and not spool.exists():
            spool.write_bytes(b"of the first run")
            assert clean(source, target, shares[1])["ok"]
            assert not clean(source, target, shares[2])
        return False

    results = list(clean_batch(jobs_of(str(source), target), PLAIN, 0, params=shares[0], stop=act))
    assert [result.status for result in results] == ["ok", "ok"]
    assert spool.exists()
    assert clean(source, target, RESUME) == {"before": 4, "ok": 2}
    assert [path.name for path in place.iterdir()] == ["x.jsonl"]
