"""Tests of `corpus/jobs.py`: jobs, their names, and those that would write the same file."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from crfclean.document.columns import AddedColumns
from crfclean.document.page_text import FAILED, LOW_SCORE
from crfclean.products.corpus.duplicates import Signer
from crfclean.products.corpus.job import Folders, Job
from crfclean.products.corpus.jobs import DONE, PageInput, Result, lost, page_input, process_pages
from crfclean.products.corpus.params import Fields, PageLimits
from crfclean.products.corpus.plan import refuse_clashes
from crfclean.products.corpus.records import FOLDER, Record
from crfclean.products.corpus.tasks import FirstProcess, Lost, Task, attempt
from crfclean.types import GoldError

JOBS = {
    "-": Job("-", None),
    "a/b.html": Job(Path("a/b.html"), None),
    "https://x.example/": Job("https://x.example/", None),
    "out.jsonl": Job(Path("out.jsonl"), None, kind=FOLDER, shard="jsonl", sources=("a", "b")),
}


@pytest.mark.parametrize("name", JOBS)
def test_names(name: str) -> None:
    assert JOBS[name].name == name


def test_a_job_is_small_however_many_inputs_its_run_has() -> None:
    """Each page carries its job to another process."""
    job = Job(Path("in/a.html"), Path("out/a.txt"), folders=Folders("9 inputs abc", Path("out")))
    assert len(pickle.dumps(job)) < 1_000


CLASHES = {
    "same": ("o/a.txt", "o/a.txt", "would write the same o/a.txt as 1"),
    "case": ("o/A.txt", "o/a.txt", "would write the same file as 1 where names ignore case"),
    "case of a directory": ("O/a.txt", "o/a.txt", "the same file as 1 where names ignore case"),
    "Unicode": ("o/\u00e1.txt", "o/a\u0301.txt", "the same file as 1 where names ignore case"),
    "both": ("o/N\u00c1.txt", "o/na\u0301.txt", "the same file as 1 where names ignore case"),
    "sharp s": ("o/Stra\u00dfe", "o/strasse", "the same file as 1 where names ignore case"),
    "other names": ("o/a.txt", "o/b.txt", ""),
    "standard output": (None, None, ""),
}


@pytest.mark.parametrize(("first", "second", "refused"), CLASHES.values(), ids=CLASHES)
def test_clashes(first: str | None, second: str | None, refused: str) -> None:
    targets = [Path(name) if name is not None else None for name in (first, second, "o/c.txt")]
    jobs = [Job(Path(str(number)), target) for number, target in enumerate(targets, 1)]
    done = list(refuse_clashes(jobs))
    assert (done[0], done[2]) == (jobs[0], jobs[2])
    assert (done[1] == jobs[1]) == (not refused)
    assert done[1].refused.endswith(refused)
    assert done[1].name == "2"


# limits, and tasks that this process does itself


def divide(item: int, shared: int) -> float:
    if item == 13:
        raise GoldError("no thirteen")
    if item == 14:
        raise MemoryError
    return item / shared


def total(item: tuple[int, ...], shared: object) -> int:
    if -1 in item:
        raise ValueError("a negative number")
    return sum(item)


def results(*tasks: Task, function: Any = divide, shared: Any = 2) -> list[tuple[Any, Any]]:
    return list(FirstProcess().map(function, tasks, shared))


def test_results_are_in_order_and_lazy() -> None:
    taken: list[int] = []

    def tasks() -> Iterator[Task]:
        for number in range(10):
            taken.append(number)
            yield Task(number, number)

    found = FirstProcess().map(divide, tasks(), 2)
    assert [next(found), next(found)] == [(0, 0.0), (1, 0.5)]
    assert taken == [0, 1]


def test_errors_are_answers_but_for_the_users() -> None:
    lost = Lost("error", "ZeroDivisionError: division by zero")
    assert results(Task("a", 1), shared=0) == [("a", lost)]
    assert results(Task("a", 14)) == [
        ("a", Lost("over-memory", "it needed more memory than there is"))
    ]
    with pytest.raises(GoldError, match="no thirteen"):
        results(Task("a", 13))


def test_other_tasks_take_the_place_of_a_lost_one() -> None:
    lost = Lost("error", "ValueError: a negative number")

    def instead(answer: object) -> list[Task]:
        is_lost = isinstance(answer, Lost)
        return [Task(item, (item,)) for item in (1, -1, 3)] if is_lost else []

    tasks = Task("before", (1,)), Task("all", (1, -1, 3), instead=instead)
    assert results(*tasks, function=total) == [
        ("before", 1),
        (1, 1),
        (-1, lost),
        (3, 3),
    ]
    assert results(Task("all", (1, 3), instead=instead), function=total) == [("all", 4)]


@dataclass
class Prepared:
    """What notes the order in which things happen."""

    seen: list[str] = field(default_factory=list)

    def prepare(self, item: str) -> None:
        self.seen.append(f"prepare {item}")


def test_models_are_opened_before_the_clock_runs() -> None:
    shared = Prepared()
    kind, value = attempt(
        lambda item, shared: shared.seen.append(item),
        "page",
        shared,
        lambda: shared.seen.append("begin"),
    )
    assert (kind, value, shared.seen) == ("done", None, ["prepare page", "begin", "page"])


# pieces that are read together, and what becomes of each


@dataclass(frozen=True)
class Count:
    """Makes of each page how many pages it was read with."""

    limits: PageLimits = field(default_factory=PageLimits)
    fields: Fields = field(default_factory=Fields)
    site_pages: int = 5
    signer: Signer | None = None
    by_site: bool = False
    columns: AddedColumns = field(default_factory=AddedColumns)
    options: Mapping[str, Any] = field(default_factory=dict)

    def site_texts(self, record: Record) -> tuple[str, Sequence[int]]:
        """Nothing is known of sites."""
        return "", ()

    def prepare(self, pieces: tuple[PageInput, ...]) -> None:
        """Do nothing."""

    def make(self, inputs: Sequence[PageInput]) -> Sequence[Result]:
        """The number of the pages."""
        count = len(inputs)
        made = [Result(piece.job, "ok", text=str(count), items=count) for piece in inputs]
        return [
            replace(result, status=LOW_SCORE, text=None) if piece.record.data == b"poor" else result
            for result, piece in zip(made, inputs, strict=True)
        ]

    def lost_row(self, record: Record, status: str, message: str) -> bytes:
        """What was lost."""
        return f"{record.id} {status} {message}\n".encode()


COUNT = Count()
SHARD = Job(Path("x.jsonl"), Path("y.jsonl"), kind="jsonl", shard="jsonl")


def pages(folder: Path, **texts: str) -> tuple[PageInput, ...]:
    for name, text in texts.items():
        (folder / name).write_text(text)
    jobs = (Job(folder / name, folder / f"{name}.out") for name in texts)
    return tuple(page_input(job, 99) for job in jobs)


def test_pages_are_read_together_and_written_apart(tmp_path: Path) -> None:
    results = process_pages(pages(tmp_path, a="one", b="two"), COUNT)
    assert [(one.job.source, one.status, one.items) for one in results] == [
        (tmp_path / "a", "ok", 2),
        (tmp_path / "b", "ok", 2),
    ]
    assert (tmp_path / "a.out").read_text() == (tmp_path / "b.out").read_text() == "2"


def test_what_cannot_be_read_harms_no_other(tmp_path: Path) -> None:
    good, poor = pages(tmp_path, a="one", b="poor")
    refused = page_input(Job(tmp_path / "c", None, "clashes"), 99)
    absent = page_input(Job(tmp_path / "d", None), 99)
    results = process_pages((refused, good, absent, poor), COUNT)
    assert [(one.status, one.message) for one in results] == [
        (FAILED, "clashes"),
        ("ok", ""),
        (FAILED, "cannot be read: No such file or directory"),
        (LOW_SCORE, ""),
    ]
    assert (tmp_path / "a.out").read_text() == "2"
    assert not (tmp_path / "b.out").exists()


def test_a_file_is_one_whatever_its_name_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the current directory, `-` is no standard input."""
    monkeypatch.chdir(tmp_path)
    Path("-").write_text("one")
    process_pages((page_input(Job(Path("-"), Path("out")), 99),), COUNT)
    assert Path("out").read_text() == "1"


def test_done_pages_are_read_but_not_written(tmp_path: Path) -> None:
    one, two = pages(tmp_path, a="one", b="two")
    (tmp_path / "a.out").write_text("what a run before has made")
    results = process_pages((one._replace(kept=DONE), two), COUNT)
    assert [result.status for result in results] == [DONE, "ok"]
    assert (tmp_path / "a.out").read_text() == "what a run before has made"
    assert (tmp_path / "b.out").read_text() == "2"


def test_lost_pieces() -> None:
    known, unknown = (PageInput(SHARD, Record(name)) for name in ("7", ""))
    assert lost(known, "crashed", "it ended", COUNT) == Result(
        SHARD, "crashed", "it ended", record="7", line=b"7 crashed it ended\n"
    )
    assert lost(unknown, "crashed", "it ended", COUNT) == Result(SHARD, "crashed", "it ended")


@pytest.mark.parametrize(
    ("status", "outcome", "failed"),
    [
        ("ok", "ok", False),
        ("no-blocks", "without", False),
        ("no-posts", "without", False),
        (LOW_SCORE, LOW_SCORE, False),
        (DONE, DONE, False),
        ("crashed", "failed", True),
        ("over-blocks", "failed", True),
    ],
)
def test_outcomes(status: str, outcome: str, failed: bool) -> None:  # noqa: FBT001
    result = Result(SHARD, status)
    assert (result.outcome, result.failed) == (outcome, failed)
