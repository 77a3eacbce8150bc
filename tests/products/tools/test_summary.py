"""Tests of `tools/audit_summary.py`: the figures of runs, groups and sites."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from auditruns import block, row, write_run

from crfclean import load
from crfclean._version import RELEASE_YEAR, __version__
from crfclean.decision.rules import CutChoice
from crfclean.products.tools.audit import Sample, draw, draw_from, read_sample, write_sample
from crfclean.products.tools.audit_summary import LEAST_JUDGED, report, summary_text
from crfclean.products.tools.audited import GROUPINGS, AuditedBlock, audited_blocks, output_files
from crfclean.products.tools.methods import methods
from crfclean.systems.capabilities import fingerprint, with_choice


def of_site(site: str, number: int, *, kept: bool, belongs: bool) -> AuditedBlock:
    """A block whose page tells whether it belongs to the text."""
    probability = 0.99 if kept else 0.001
    fields = block(number, kept=kept, probability=probability, words=10)
    groups = (site, "cs" if number % 2 else "en", "article", "paragraph")
    name = "yes" if belongs else "no"
    return AuditedBlock(name, "", "", number, kept, probability, fields.words, groups, fields.text)


@pytest.fixture
def sample() -> Sample:
    """A good site where all is right, and a bad one where half of what is kept is wrong."""
    good = [of_site("good.example", n, kept=n % 2 == 0, belongs=n % 2 == 0) for n in range(400)]
    bad = [of_site("bad.example", n, kept=n % 2 == 0, belongs=n % 4 == 0) for n in range(400)]
    return draw_from([good, bad])


def answers(sample: Sample, count: int) -> dict[int, bool]:
    return {number: block.page == "yes" for number, block in enumerate(sample.blocks[:count])}


def test_figures_of_the_run(sample: Sample) -> None:
    result = report(sample, answers(sample, 200))
    assert (result.pages, result.words, result.kept_words) == (2, 8_000, 4_000)
    assert (result.judgements, result.draws) == (200, len(judged_draws(sample, 200)))
    precision = result.estimates["precision"]
    assert precision.low < 0.75 < precision.high
    assert result.estimates["recall"].estimate == 1.0


def judged_draws(sample: Sample, count: int) -> list[tuple[int, int]]:
    """The draws before the block after the last one that is judged first stands."""
    end = next(at for at, (_, number) in enumerate(sample.draws) if number == count)
    return [draw for draw in sample.draws[:end] if draw[1] < count]


def test_later_draws_of_judged_blocks_do_not_count(sample: Sample) -> None:
    """They would be there for the largest blocks alone."""
    for count in (1, 10, 50):
        drawn = report(sample, answers(sample, count)).draws
        assert drawn <= len(judged_draws(sample, count))
        assert drawn >= count


def test_groups_with_enough_judgements(sample: Sample) -> None:
    result = report(sample, answers(sample, 200))
    assert {group.name for group in result.groups["site"]} == {"good.example", "bad.example"}
    assert {group.name for group in result.groups["language"]} == {"cs", "en"}
    for grouping in GROUPINGS:
        assert sum(group.judged for group in result.groups[grouping]) == result.draws
        assert sum(group.words for group in result.groups[grouping]) == result.words
    few = report(sample, answers(sample, LEAST_JUDGED - 1))
    assert all(not group or group[0].judged >= LEAST_JUDGED for group in few.groups.values())


def test_the_site_that_is_worse_than_the_run_is_named(sample: Sample) -> None:
    result = report(sample, answers(sample, 200))
    assert [site.name for site in result.sites] == ["bad.example"]
    (site,) = result.sites
    assert site.estimates["f1"].estimate < result.estimates["f1"].estimate


def test_sites_of_which_the_model_is_unsure_are_named() -> None:
    blocks = [
        AuditedBlock(
            "p", "", "", n, True, 0.99 if n % 2 else 0.5, 100.0,
            (f"site{n % 2}.example", "en", "article", "paragraph"), "x",
        )
        for n in range(40)
    ]  # fmt: skip
    sample = draw_from([blocks])
    judgements = {
        number: block.probability > 0.9 or number % 2 == 0
        for number, block in enumerate(sample.blocks[:20])
    }
    sites = report(sample, judgements).sites
    assert [site.name for site in sites] == ["site0.example"]


def test_tables_stand_in_columns(sample: Sample) -> None:
    text = summary_text(report(sample, answers(sample, 200)))
    head, *lines = text.splitlines()
    assert head.startswith("200 blocks judged of 2 pages with 8,000 words, of which 50.0% are kept")
    assert "by site" in lines
    assert "by type" not in lines  # there is only one
    rows = [line for line in lines if " 0." in line or " 1." in line]
    assert len({len(line) for line in rows}) == 1
    assert lines.index("Label pages of these sites first (lowest expected F1):") == len(lines) - 2


# the paragraph for a paper


@pytest.mark.parametrize(
    ("model", "told"),
    [
        (fingerprint(load()), "with the model default, convention auto (fingerprint "),
        (
            fingerprint(with_choice(load(), CutChoice("body"))),
            "with the model default, convention body (fingerprint ",
        ),
        ("0123456789abcdef", "with a model or options of its own (fingerprint 0123456789abcdef)"),
        (None, "with an unknown model. "),
    ],
)
def test_a_paragraph_for_a_paper(tmp_path: Path, model: str | None, told: str) -> None:
    failed = row(9) | {"id": "x", "status": "failed", "model": model, "blocks": [], "left_out": []}
    rows = [*(row(number, status="ok", model=model) for number in range(9)), failed]
    write_sample(tmp_path / "s.json", draw(write_run(tmp_path / "texts.jsonl", rows)))
    result = report(read_sample(tmp_path / "s.json"), {0: True, 1: False})
    paragraph, f1 = methods(result), result.estimates["f1"]
    assert f"The texts of 10 pages were extracted by crfclean {__version__} (python 3." in paragraph
    assert told in paragraph
    assert "The pages have the statuses 9 ok, 1 failed." in paragraph
    assert f"an F1 of {f1.estimate:.3f} ({f1.low:.3f} to {f1.high:.3f}) over" in paragraph
    assert paragraph.endswith(f"Version {__version__}.")
    assert f"({RELEASE_YEAR})" in paragraph


def test_a_sample_without_facts_is_read(tmp_path: Path) -> None:
    """A sample of an earlier version: its judgements are not lost."""
    run, path = write_run(tmp_path / "texts.jsonl"), tmp_path / "s.json"
    write_sample(path, draw_from(audited_blocks(output_files(run))))
    assert "facts" not in json.loads(path.read_text("utf-8"))
    assert "an unknown model. They keep " in methods(report(read_sample(path), {0: True}))
