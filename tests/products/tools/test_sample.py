"""Tests of `tools/audit.py`: what is drawn, kept on disk, and refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from auditruns import block, row, write_run

from crfclean.products.tools import audit as audit_sample
from crfclean.products.tools.audit import (
    MAX_JUDGEMENTS,
    Sample,
    WordReservoir,
    check_same_run,
    draw,
    draw_from,
    read_sample,
    write_sample,
)
from crfclean.products.tools.audited import GROUPINGS, OTHERS, AuditedBlock
from crfclean.products.tools.strata import KEPT_STRATA, STRATA, draw_order, stratum_of
from crfclean.types import CrfcleanError


def pages(count: int) -> list[list[AuditedBlock]]:
    return [
        [
            block(number, kept=True, probability=0.99, words=1 + number % 9),
            block(number, kept=False, probability=0.001, words=2),
        ]
        for number in range(count)
    ]


def test_words_and_means_are_of_the_whole_run(tmp_path: Path) -> None:
    sample = draw(write_run(tmp_path / "x.jsonl"))
    assert sample.pages == 9
    assert sample.words.tolist() == [27, 0, 36, 27, 0, 27]
    assert sample.means.tolist() == [0.6, 0, 0.99, 0.001, 0, 0.3]
    assert sample.kept_words == 63
    for grouping in GROUPINGS:
        groups = sample.groups[grouping].values()
        assert np.sum(list(groups), axis=0).tolist() == sample.words.tolist()
    assert sorted(sample.groups["language"]) == ["cs", "en"]


def test_draws_are_of_their_strata_and_blocks_stand_once() -> None:
    sample = draw_from(pages(2_000))
    assert len({id(block) for block in sample.blocks}) == len(sample.blocks) == MAX_JUDGEMENTS
    for stratum, number in sample.draws:
        drawn = sample.blocks[number]
        assert stratum_of(drawn.probability, kept=drawn.kept) == stratum
    first = list(dict.fromkeys(number for _, number in sample.draws))
    assert first == list(range(len(sample.blocks)))


def test_the_same_run_and_seed_give_the_same_sample() -> None:
    assert draw_from(pages(300)).key == draw_from(pages(300)).key
    assert draw_from(pages(300)).key != draw_from(pages(300), 2).key
    assert draw_from(pages(300)).key != draw_from(pages(301)).key


def test_memory_does_not_grow_with_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_sample, "MAX_GROUPS", 2)
    sample = draw_from(pages(500))
    assert list(sample.groups["site"]) == ["site0.example", "site1.example", OTHERS]
    words = np.sum(list(sample.groups["site"].values()), axis=0)
    assert words.tolist() == sample.words.tolist()


def test_samples_on_disk(tmp_path: Path) -> None:
    fields = row()
    fields["blocks"][0]["text"] = "lone \ud800 surrogate"
    sample = draw(write_run(tmp_path / "x.jsonl", [fields]))
    write_sample(tmp_path / "x.audit.json", sample)
    again = read_sample(tmp_path / "x.audit.json")
    assert again.key == sample.key
    assert again.blocks == sample.blocks
    assert again.draws == sample.draws
    assert again.words.tolist() == sample.words.tolist()


def test_changed_samples(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    write_sample(path, draw_from(pages(3)))
    fields = json.loads(path.read_text("utf-8"))
    fields["words"][2] += 1
    path.write_text(json.dumps(fields), "utf-8")
    with pytest.raises(CrfcleanError, match="has been changed"):
        read_sample(path)


def test_another_run(tmp_path: Path) -> None:
    out = write_run(tmp_path / "x.jsonl")
    sample: Sample = draw(out)
    check_same_run(tmp_path / "x.audit.json", sample, out)
    write_run(out, [row(number) for number in range(8)])
    with pytest.raises(CrfcleanError, match="drawn from another run"):
        check_same_run(tmp_path / "x.audit.json", sample, out)


# strata

MEANS = np.array([0.6, 0.85, 0.99, 0.001, 0.05, 0.2])


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("probability", [0.0, 0.01, 0.1, 0.5, 0.7, 0.95, 1.0])
def test_strata_keep_the_decision_apart(probability: float, *, kept: bool) -> None:
    stratum = stratum_of(probability, kept=kept)
    assert 0 <= stratum < STRATA
    assert KEPT_STRATA[stratum] == kept


def test_every_beginning_is_an_allocation_by_need() -> None:
    words = np.array([100.0, 100.0, 1_000.0, 4_000.0, 100.0, 100.0])
    order = list(draw_order(words, MEANS, 200))
    assert list(draw_order(words, MEANS, 50)) == order[:50]
    counts = np.bincount(order, minlength=STRATA)
    assert counts.sum() == 200
    assert counts[3] > counts[2] > counts[0] > 2


def test_every_stratum_with_words_is_looked_at() -> None:
    words = np.array([1.0, 0.0, 1e9, 1e9, 1.0, 1.0])
    counts = np.bincount(list(draw_order(words, MEANS, 10)), minlength=STRATA)
    assert counts.tolist() == [2, 0, 2, 2, 2, 2]


# reservoirs


def drawn(words: list[float], size: int, seed: str = "1") -> WordReservoir[int]:
    reservoir = WordReservoir[int](size, seed)
    for item, count in enumerate(words):
        reservoir.add(item, count)
    return reservoir


@pytest.mark.parametrize(
    "words", [[1.0, 2.0, 3.0, 4.0], [4.0, 3.0, 2.0, 1.0], [0.5, 90.0, 0.5, 9.0]]
)
def test_blocks_are_drawn_by_their_words(words: list[float]) -> None:
    size = 20_000
    counts = np.bincount(np.array(drawn(words, size).items, np.int64), minlength=4)
    expected = np.array(words) / sum(words)
    errors = np.sqrt(expected * (1 - expected) / size)
    assert np.all(np.abs(counts / size - expected) < 4.5 * errors)


def test_the_seed_alone_decides() -> None:
    words = [float(1 + number % 7) for number in range(500)]
    assert drawn(words, 50, "a").items == drawn(words, 50, "a").items
    assert drawn(words, 50, "a").items != drawn(words, 50, "b").items
