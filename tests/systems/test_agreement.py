"""Tests of `systems/article.py`."""

from __future__ import annotations

import pytest

from crfclean.systems.article import agrees, common_substring, longest_part


@pytest.mark.parametrize(
    ("one", "other", "length"),
    [
        ("Ferry", "The FERRY sails", 5),
        ("a  b", "A b", 3),
        ("", "x", 0),
        ("Паром вернулся", "паром вернулся - Новости", 14),
        ("xyz", "abc", 0),
    ],
)
def test_common_substring(one: str, other: str, length: int) -> None:
    assert common_substring(one, other) == length


@pytest.mark.parametrize(
    ("title", "length"),
    [
        ("", 0),
        ("Ferry", 5),
        ("BBC NEWS | Technology | Ferry in the ice", 16),
        ("Ferry in the ice :: Health :: Top.example", 16),
        ("Ferry – News of the harbour", 19),
        ("Jean-Luc: the ferry", 19),
        ("- | -", 1),
    ],
)
def test_longest_part(title: str, length: int) -> None:
    assert longest_part(title) == length


@pytest.mark.parametrize(
    ("title", "text", "agreed"),
    [
        ("Ferry in the ice | Harbour News", "Ferry in the ice", True),
        ("Ferry in the ice | Harbour", "Harbour", False),
        ("“Ferry” in the ice", '"Ferry" in the ice', True),
        ("Ferry in the ice", "", False),
        ("", "Ferry", False),
        ("", "", False),
        ("   ", "Ferry", False),
    ],
)
def test_agreement(title: str, text: str, agreed: bool) -> None:  # noqa: FBT001
    assert agrees(title, text) is agreed
