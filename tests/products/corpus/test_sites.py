"""Tests of `corpus/sites.py` and `page/site.py`: what many pages of a site have, in every run."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from batchpages import GOOD, PARAMS, RESUME
from doubles import Obeys
from jobplans import jobs_of, small_parts
from killing import killed_before

from crfclean.page.site import of_one_site, repeated_keys, text_keys
from crfclean.products.corpus import locks, sites
from crfclean.products.corpus.clean import BatchParams
from crfclean.products.corpus.engine import clean_batch
from crfclean.products.corpus.many import run_many
from crfclean.products.corpus.params import ResumeParams
from crfclean.products.corpus.records import Record
from crfclean.products.corpus.rows import row_lines
from crfclean.types import Blocks, CrfcleanError, Label, Rule, Tags

NOTICE = "Write to our newsroom if you know more about this."
FRESH = ResumeParams()


@dataclass(frozen=True)
class DropRepeated(Obeys):
    """A tagger that drops what many pages of the site have."""

    def tag(self, blocks: Blocks) -> Tags:
        """Obey the page's order, then keep its long blocks of its own."""
        tags = super().tag(blocks)
        known = [key in blocks.repeated for key in text_keys(blocks)]
        labels = np.where(known, Label.OTHER, tags.labels).astype(np.int32)
        rules = np.where(known, Rule.SITE, Rule.NONE).astype(np.int8)
        return replace(tags, labels=labels, rules=rules, model=np.eye(3)[tags.labels])


PARAMS_BY_SITE = replace(PARAMS, tagger=DropRepeated(), by_site=True)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for a lock, and parts have two pages."""
    monkeypatch.setattr(locks, "PATIENCE", 0.0)
    small_parts(monkeypatch, 200, 2)


def corpus(path: Path, sites: str = "aabababbca", orders: Any = ()) -> Path:
    """Pages of sites; a notice stands on all of `a`, and on one of `b` and `c`."""
    rows = []
    for number, site in enumerate(sites):
        notice = NOTICE if site == "a" or number in {2, 8} else f"Notice {number} of another kind."
        order = f"<p>{dict(orders).get(number, 'Home')}</p>"
        html = f"{order}<p>This is page number {number} of many.</p><p>{notice}</p>"
        rows.append({"id": f"p{number}", "url": f"https://{site}.example/{number}", "html": html})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def clean(
    source: Path, target: str, params: ResumeParams = FRESH, workers: int = 0
) -> Counter[str]:
    """Clean a corpus; counts of statuses, those of earlier runs as "before"."""
    counts = Counter[str]()
    jobs = jobs_of(str(source), target)
    for each in clean_batch(jobs, PARAMS_BY_SITE, workers, params=params):
        counts.update({"before": each.before.total()} if each.before else [each.status])
    return counts


def noticed(target: Path) -> list[str]:
    rows = [json.loads(line) for line in row_lines(target, "jsonl")]
    return [row["id"] for row in rows if NOTICE in row["text"]]


def test_a_text_of_a_site_is_known_on_all_its_pages(tmp_path: Path) -> None:
    source = corpus(tmp_path / "in.jsonl")
    assert clean(source, f"{tmp_path}/x.jsonl") == {"ok": 10}
    assert noticed(tmp_path / "x.jsonl") == ["p2", "p8"]
    jobs = jobs_of(str(source), f"{tmp_path}/x.jsonl")
    results = clean_batch(jobs, PARAMS_BY_SITE, 0, params=ResumeParams(overwrite=True))
    assert [each.record for each in results if each.repeats] == ["p0", "p1", "p3", "p5", "p9"]
    assert [path.name for path in tmp_path.iterdir() if path.name[0] == "x"] == ["x.jsonl"]


def test_the_same_bytes_with_any_number_of_workers_and_runs(tmp_path: Path) -> None:
    source = corpus(tmp_path / "in.jsonl")
    clean(source, f"{tmp_path}/one/")
    clean(source, f"{tmp_path}/two/", workers=2)
    for number in (1, 2):  # these runs only count
        with pytest.raises(CrfcleanError, match="other shares have not counted"):
            clean(source, f"{tmp_path}/shares/", ResumeParams(share=(number, 3)))
    for number in (3, 2, 1):
        assert clean(source, f"{tmp_path}/shares/", ResumeParams(share=(number, 3)))["ok"]
    clean(source, f"{tmp_path}/shares/", RESUME)
    one, two, shares = (content(tmp_path / name) for name in ("one", "two", "shares"))
    assert one == two == shares
    assert sum(name.endswith(".sites.json") for name in one) > 3


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("step", [0, 3, 10, 20, 30, 45, 60])
def test_a_run_that_goes_on_after_a_kill_has_the_same_bytes(tmp_path: Path, step: int) -> None:
    source = corpus(tmp_path / "in.jsonl")
    clean(source, f"{tmp_path}/y.jsonl")
    killed_before(step, lambda: clean(source, f"{tmp_path}/x.jsonl"))
    clean(source, f"{tmp_path}/x.jsonl", RESUME)
    assert (tmp_path / "x.jsonl").read_bytes() == (tmp_path / "y.jsonl").read_bytes()


@dataclass(frozen=True, slots=True)
class EndsWhileCounting(BatchParams):
    """Ends its process when it counts the page p4; `log` has the ids of pages."""

    log: str = ""

    def site_texts(self, record: Record) -> tuple[str, Sequence[int]]:
        """Note the page."""
        with Path(self.log).open("a") as file:
            file.write(f"{record.id}\n")
        if record.id == "p4":
            os._exit(3)
        return BatchParams.site_texts(self, record)


def test_a_page_that_ends_its_process_while_it_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is tried once more and then passed over, and no other page is counted twice."""
    small_parts(monkeypatch, 10**6)
    log, source = tmp_path / "log", corpus(tmp_path / "in.jsonl")
    operation = EndsWhileCounting(PARAMS_BY_SITE.tagger, by_site=True, log=str(log))
    results = clean_batch(jobs_of(str(source), f"{tmp_path}/x.jsonl"), operation, 1)
    assert Counter(each.status for each in results) == {"ok": 10}
    assert noticed(tmp_path / "x.jsonl") == ["p2", "p8"]
    tries = Counter(log.read_text().split())
    assert tries.pop("p4") == 4  # the pool tries a lost task once more, too
    assert set(tries.values()) == {1}


def pages(folder: Path, numbers: range) -> None:
    """Files of pages with the notice."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in numbers:
        html = f"<p>This is page number {number} of many.</p><p>{NOTICE}</p>"
        (folder / f"{number}.html").write_text(html)


def test_directories_of_pages_are_sites(tmp_path: Path) -> None:
    pages(tmp_path / "in" / "few", range(2))
    pages(tmp_path / "in" / "many", range(4))
    for kind, left in {"few": 2, "many": 0}.items():
        clean(tmp_path / "in" / kind, f"{tmp_path}/{kind}.jsonl")
        assert len(noticed(tmp_path / f"{kind}.jsonl")) == left
    clean(tmp_path / "in", f"{tmp_path}/x.jsonl")
    assert {Path(name).parent.name for name in noticed(tmp_path / "x.jsonl")} == {"few"}


def test_parts_of_a_site_that_has_more_pages_are_cleaned_again(tmp_path: Path) -> None:
    """With a third page, the notice is one of the site `z`."""
    pages(tmp_path / "in" / "a", range(4))
    pages(tmp_path / "in" / "z", range(2))
    killed = clean_batch(jobs_of(f"{tmp_path}/in", f"{tmp_path}/x.jsonl"), PARAMS_BY_SITE, 0)
    assert [next(killed).status for _ in range(6)] == ["ok"] * 6
    killed.close()
    pages(tmp_path / "in" / "z", range(2, 3))
    assert clean(tmp_path / "in", f"{tmp_path}/x.jsonl", RESUME) == {"before": 4, "ok": 3}
    assert not noticed(tmp_path / "x.jsonl")


def test_equal_pages_count_once_and_a_few_pages_of_a_large_site_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever the order, the same pages are counted."""
    monkeypatch.setattr(sites, "SAMPLED", 4)
    pages = [(f"{number:02}", np.array([7, number], "<u4").tobytes().hex()) for number in range(9)]
    for order in (pages, pages[::-1], pages * 2):
        counted = [{"a": {name: keys}} for name, keys in order]
        made: dict[str, dict[str, str]] = {}
        for counts in counted:
            sites._add(made, "a", *next(iter(counts["a"].items())))
        assert sorted(made["a"]) == ["00", "01", "02", "03"]
        assert sites.repeated_texts(counted) == {"a": frozenset([7])}
    assert sites.repeated_texts([{"a": {"00": pages[0][1]}}] * 9) == {}


@pytest.mark.parametrize(
    ("pages", "with_text", "known"),
    [(3, 3, True), (3, 2, False), (20, 6, True), (20, 5, False)],
)
def test_least_pages_and_share(pages: int, with_text: int, *, known: bool) -> None:
    keys = [{1, 2} if number < with_text else {number + 9} for number in range(pages)]
    assert (1 in repeated_keys([("", each) for each in keys])) == known


def test_a_page_that_a_crawl_has_several_times_counts_once(tmp_path: Path) -> None:
    """Else each text of an article was one of its site: up to 77 % of the words were lost."""
    html = f"<title>{{}}</title><p>Made in {{}} ms, in {{}} steps.</p><p>{NOTICE}</p>"
    for name, titles in {"captures": "aaaa", "pages": "abcd"}.items():
        made = [html.format(title, number, number) for number, title in enumerate(titles)]
        rows = [
            {"id": f"{at}", "url": f"https://a.example/?{at}", "html": page}
            for at, page in enumerate(made)
        ]
        source = tmp_path / f"{name}.jsonl"
        source.write_text("".join(json.dumps(row) + "\n" for row in rows))
        clean(source, f"{tmp_path}/{name}-out.jsonl")
        texts = [document.text for document in run_many(of_one_site(made), DropRepeated())]
        kept = {"captures": 4, "pages": 0}[name]
        assert len(noticed(tmp_path / f"{name}-out.jsonl")) == kept
        assert sum(NOTICE in text for text in texts) == kept


def test_of_pages_with_a_title_the_same_one_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sites, "SAMPLED", 2)
    pages = [("a", "02"), ("b", "01"), ("a", "01"), ("c", "03"), ("a", "03")]
    for order in (pages, pages[::-1], pages[2:] + pages[:2]):
        made: dict[str, dict[str, str]] = {}
        for name, keys in order:
            sites._add(made, "x", name, keys)
        assert made == {"x": {"a": "01", "b": "01"}}


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ("in.html", "x.txt", "needs a corpus"),
        ("-", "x.jsonl", "reads all pages twice"),
        ("https://example.org/", "x.jsonl", "reads all pages twice"),
    ],
)
def test_what_cannot_be_counted_is_refused(
    tmp_path: Path, source: str, target: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in.html").write_text(GOOD)
    with pytest.raises(CrfcleanError, match=message):
        clean(Path(source), target) if "//" not in source else list(
            clean_batch(jobs_of(source, target), PARAMS_BY_SITE, 0)
        )
    assert not Path(target).exists()


def test_pages_of_one_site_in_python() -> None:
    html = "<p>This is page number {} of many.</p><p>{}</p>"
    pages = of_one_site(html.format(number, NOTICE) for number in range(4))
    texts = [document.text for document in run_many(pages, DropRepeated())]
    assert texts == [f"This is page number {number} of many." for number in range(4)]
