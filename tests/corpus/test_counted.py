"""Every input is counted once: written, without text, failed, or left out for a reason."""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from batchpages import GOOD, PARAMS, RESUME
from jobplans import small_parts
from warcs import record

from crfclean.corpus.engine import clean_batch
from crfclean.corpus.jobs import DONE, Result
from crfclean.corpus.plan import Paths, plan

HTML = [GOOD.encode(), b"<p>Home</p>", b"", b"<body></body>", gzip.compress(GOOD.encode())]
FILES = {".html": HTML, ".png": [b"\x89PNG" + bytes(9)], ".txt": [b"words"], ".gz": [b"\x1f\x8bx"]}
LINES = [{"html": GOOD}, {"html": "<p>Home</p>"}, {"no": 1}, {"html": 3}, {"html": ""}]
STATUSES = ["200 OK", "200 OK", "404 Not Found", "301 Moved", "500 Error"]
KINDS = ["response", "response", "response", "revisit", "conversion", "strange"]
ABOUT = ["request", "metadata", "warcinfo"]
"""Kinds of records that are about the crawl: no inputs."""


def files(random_: random.Random, folder: Path) -> int:
    count = random_.randint(1, 12)
    for number in range(count):
        suffix = random_.choice([*FILES, ".html", ".html"])
        name = f"{random_.choice('ab')}/{number}{suffix}"
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(random_.choice(FILES[suffix]))
    (folder / "page.html").write_text(GOOD)
    return count + 1


def lines(random_: random.Random, folder: Path) -> int:
    count = random_.randint(1, 12)
    texts = [json.dumps({"id": str(n), **random_.choice(LINES)}) for n in range(count)]
    texts[0] = json.dumps({"html": GOOD})
    broken = random_.randint(0, 3)
    blank = ["", " "] * random_.randint(0, 2)
    data = "\n".join(texts + ['{"html": '] * broken + blank).encode()
    packed = random_.random() < 0.5
    (folder / f"lines.jsonl{'.gz' * packed}").write_bytes(gzip.compress(data) if packed else data)
    return count + broken


def archive(random_: random.Random, folder: Path) -> int:
    count = random_.randint(1, 40)
    records = []
    for number in range(count):
        page, status = random_.choice(HTML[:4]), random_.choice(STATUSES)
        url = f"https://e.org/{number}"
        records.append(record(url, page or b"x", status, random_.choice(KINDS)))
        if random_.random() < 0.3:
            records.append(record(url, b"", kind=random_.choice(ABOUT)))
    data = b"".join(records)
    if random_.random() < 0.4:
        data = b"".join(map(gzip.decompress, records))
    (folder / "crawl.warc.gz").write_bytes(data)
    return count


PARTS: list[Callable[[random.Random, Path], int]] = [files, lines, archive]


def counted(results: Iterable[Result]) -> Counter[str]:
    """What the inputs of a run count as, those of earlier runs included."""
    counts = Counter[str]()
    for result in results:
        assert result.message or result.status in {"ok", DONE}, result
        counts.update(result.before or {result.outcome: result.pages})
    return counts


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("target", ["out.jsonl", "out", "out.csv"])
def test_every_input_is_counted(
    tmp_path: Path, seed: int, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_parts(monkeypatch, 3_000, 2)
    random_, folder = random.Random(seed), tmp_path / "in"
    folder.mkdir()
    inputs = sum(part(random_, folder) for part in random_.sample(PARTS, random_.randint(1, 3)))
    found = plan(Paths((str(folder),), str(tmp_path / target)))
    counts = counted(clean_batch(found.jobs, PARAMS, 0))
    assert counts.total() + len(found.left_out) == inputs, counts
    if target == "out":
        return
    (tmp_path / target).unlink(missing_ok=True)
    seen = list[Result]()
    stops = random_.randint(1, 9)
    for result in clean_batch(found.jobs, PARAMS, 0, stop=lambda: len(seen) >= stops):
        seen.append(result)
    again = plan(Paths((str(folder),), str(tmp_path / target))).jobs
    unfinished = not (tmp_path / target).exists()
    resumed = counted(clean_batch(again, PARAMS, 0, params=RESUME))
    if unfinished and any(result.outcome != "left-out" for result in seen):
        assert resumed == counts, "a run that goes on counts what was done before"
