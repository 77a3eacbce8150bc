"""Tests of `writers/spreadsheet.py`: no cell is a formula, and each has its text back."""

from __future__ import annotations

import pytest

from crfclean.writers.spreadsheet import cell, text_of


@pytest.mark.parametrize(
    "text",
    [
        "=1+2",
        "+1",
        "-1",
        "@sum",
        "\t=1",
        "\r=1",
        "\n=1",
        '=HYPERLINK("https://a.org")',
        "-",
        "=" * 9,
    ],
)
def test_formulas_are_texts(text: str) -> None:
    assert cell(text) == "'" + text
    assert text_of(cell(text)) == text
