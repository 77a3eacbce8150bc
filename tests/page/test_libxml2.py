"""Tests of what is said of the libxml2 inside lxml."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from crfclean import extract, run_many
from crfclean.page import libxml2, walk
from crfclean.types import OldParserWarning, Page


@pytest.fixture
def version(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let lxml have another version of libxml2, of which nothing was said yet."""

    def with_version(*number: int) -> None:
        monkeypatch.setattr("lxml.etree.LIBXML_VERSION", number)
        libxml2.warn_of_old_parser.cache_clear()
        monkeypatch.setattr(walk, "parses_alone", walk.parses_alone.__wrapped__)

    return with_version


@pytest.mark.parametrize(
    ("number", "old", "slow"),
    [
        ((2, 9, 14), "libxml2 2.9.14) loses text of broken pages", ""),
        ((2, 13, 8), "libxml2 2.13.8) loses text of broken pages", ""),
        (
            (2, 14, 0),
            "",
            "2.14.0) cannot be called directly here: the results are the same",
        ),
        (
            (2, 15, 4),
            "",
            "2.15.4) cannot be called directly here: the results are the same",
        ),
        ((2, 16, 0), "", "(libxml2 2.16.0) was not compared with known versions: texts of broken"),
    ],
)
def test_what_is_said_of_a_version(
    version: Callable[..., None], number: tuple[int, ...], old: str, slow: str
) -> None:
    version(*number)
    assert old in libxml2.old_parser()
    assert bool(old) is bool(libxml2.old_parser())
    assert slow in libxml2.slow_parser(called_directly=False)
    assert bool(slow) is bool(libxml2.slow_parser(called_directly=False))
    assert not libxml2.slow_parser(called_directly=True)


def test_an_old_parser_is_told_once(version: Callable[..., None]) -> None:
    version(2, 9, 14)
    with pytest.warns(OldParserWarning, match="loses text") as told:
        assert [extract(f"<p>It rained in the {place}.</p>") for place in ("north", "south")]
    assert len(told) == 1


def test_workers_do_not_repeat_it(version: Callable[..., None]) -> None:
    version(2, 9, 14)
    with pytest.warns(OldParserWarning, match="loses text") as told:
        list(run_many([Page("<p>It rained.</p>")] * 2, workers=2))
    assert len(told) == 1


@pytest.mark.parametrize("options", [[], ["-q"]])
def test_the_command_line_tells_it_always(
    crfclean: Callable[..., object], version: Callable[..., None], demo: Path, options: list[str]
) -> None:
    version(2, 9, 14)
    page = demo / "moorland-gazette" / "sunday-bus-reprieve.html"
    with warnings.catch_warnings():  # which also restores how warnings are shown
        warnings.simplefilter("always", OldParserWarning)
        done = crfclean("clean", page, *options)
    assert done.code == 0  # type: ignore[attr-defined]
    assert done.err.startswith("crfclean: warning: the parser inside lxml here (libxml2 2.9.14)")  # type: ignore[attr-defined]


@pytest.mark.skipif(bool(libxml2.old_parser()), reason="this libxml2 loses text")
def test_what_parsers_read_differently() -> None:
    """An element after `<!-->` and after the end of the page; signs that are none."""
    assert (
        extract("<p>It rained in the north.</p><!--><p>It snowed in the south.</p>")[-6:]
        == "south."
    )
    blocks = walk.parse(b"<p>a</p></body></html><html><body><p>b</p>", walk.WalkParams())
    assert blocks.texts == ("a", "b")
