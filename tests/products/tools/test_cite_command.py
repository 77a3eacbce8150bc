"""Tests of the command `cite`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crfclean.cli.messages import EXIT_NOTHING, EXIT_OK, EXIT_SOME_FAILED

Command = Callable[..., Any]


@pytest.fixture(scope="module")
def page(demo: Path) -> Path:
    return demo / "moorland-gazette" / "sunday-bus-reprieve.html"


def test_a_quote_is_found(crfclean: Command, page: Path, model: Path) -> None:
    quote = "More than 1,900 people signed a petition"
    done = crfclean("cite", page, quote, "--model", model)
    assert (done.code, done.err) == (EXIT_OK, "")
    place, text = done.out.splitlines()
    xpath, span, similarity, url = place.split("\t")
    assert xpath.startswith("/html[1]/body[1]/")
    start, end = map(int, span.split("-"))
    assert end - start == len(quote)
    assert similarity == "1.00"
    assert url == "#:~:text=More%20than%201%2C900%20people%20signed%20a%20petition"
    assert text.strip() == quote


def test_exit_codes_say_what_was_found(crfclean: Command, page: Path, model: Path) -> None:
    quote, other = "signed a petition", "a whale was seen beside the lighthouse of Brindle"
    done = crfclean("cite", page, quote, other, "--model", model)
    assert (done.code, done.err) == (EXIT_SOME_FAILED, f"not found: {other}\n")
    done = crfclean("cite", page, other, "--model", model)
    assert (done.code, done.out) == (EXIT_NOTHING, "")


def test_a_page_without_text_is_told(crfclean: Command, tmp_path: Path, model: Path) -> None:
    (tmp_path / "x.html").write_bytes(b"%PDF-1.7")
    done = crfclean("cite", tmp_path / "x.html", "--each", "block", "--model", model)
    assert (done.code, done.out) == (EXIT_NOTHING, "")
    assert done.err == f"{tmp_path / 'x.html'}: no text to search (binary)\n"


def test_json_has_all_places(crfclean: Command, page: Path, model: Path) -> None:
    url = "https://example.org/1"
    done = crfclean("cite", page, "signed a petition", "no such words here", "--json",
                    "--url", url, "--model", model)  # fmt: skip
    first, second = map(json.loads, done.out.splitlines())
    assert first["citation"]["url"] == f"{url}#:~:text=signed%20a%20petition"
    assert first["citation"]["blocks"][0]["place"]
    assert second == {"quote": "no such words here", "citation": None}


def test_each_sentence_of_the_text(crfclean: Command, page: Path, model: Path) -> None:
    text = crfclean("clean", page, "--model", model).out
    done = crfclean("cite", page, "--each", "sentence", "--json", "--model", model)
    assert done.code == EXIT_OK
    rows = [json.loads(line)["citation"] for line in done.out.splitlines()]
    assert len(rows) >= 10
    assert all(text[row["span"][0] : row["span"][1]] == row["text"] for row in rows)
