"""Tests of coherent texts on whole pages: a portal has many, an article has a main one."""

from __future__ import annotations

from pathlib import Path

import pytest

from crfclean.page.decode import decode
from crfclean.systems.coherent import segments
from crfclean.teach.gold import GoldPage

PARTED = {"answers": 1.0, "calendar": 0.7, "cards": 1.0, "linked-cards": 1.0, "results": 0.7}
PARTED["tables"] = 1.0
"""Portal -> least share of its texts that are texts of ours, to the letter."""
WHOLE = ("kurjer-nadwislanski", "moorland-gazette", "podhorsky-denik", "vestnik-zarechya")
"""Sites of the demo whose articles stand in one frame."""


def solid(text: str) -> str:
    return "".join(text.split())


def known_texts(root: Path, name: str) -> list[str]:
    path = root / "data" / "portals" / f"{name}.texts.txt"
    return [solid(text) for text in path.read_text("utf-8").split("\n\n")]


def texts_of(root: Path, name: str) -> list[str]:
    page = decode((root / "data" / "portals" / f"{name}.html").read_bytes())
    return [solid(text.text) for text in segments(page)]


@pytest.mark.parametrize("name", PARTED)
def test_texts_of_a_portal_are_parted(root: Path, name: str) -> None:
    known, texts = known_texts(root, name), texts_of(root, name)
    assert sum(text in texts for text in known) >= PARTED[name] * len(known)
    assert max(map(len, texts)) < 0.3 * sum(map(len, texts))


def test_an_article_has_one_main_text(demo_gold: list[GoldPage]) -> None:
    for gold in demo_gold:
        if gold.site not in WHOLE and not gold.id.startswith(WHOLE):
            continue
        lines = [solid(line) for line in gold.text.splitlines()]
        texts = [solid(text.text) for text in segments(gold.page)]
        shares = sorted(
            sum(len(line) for line in lines if line in text) / sum(map(len, lines))
            for text in texts
        )
        assert shares[-1] > 0.95, gold.id
        assert shares[-2] < 0.05, gold.id
