"""Tests of `train --tagger forum`: a model of one's own forums, and what the command says of it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

Command = Callable[..., Any]
SITE = "zahradka-forum"


def sites_of(root: Path, target: Path, *names: str) -> Path:
    """Some annotated sites."""
    for name in names:
        shutil.copytree(root / "data" / "forum" / name, target / name)
    return target


def test_a_model_is_trained(crfclean: Command, tmp_path: Path, root: Path) -> None:
    model = tmp_path / "model"
    fast = ("--iterations", 40)
    outcome = crfclean("train", "--tagger", "forum", root / "data" / "forum", "-o", model, *fast)
    assert outcome.code == 0
    (first,), (last,) = outcome.out.splitlines(), outcome.err.splitlines()
    assert first.startswith("posts found on ")
    assert float(first.rpartition(" ")[2]) > 0.5
    assert last.startswith(f"Wrote {model}, a model trained on ")
    assert last.endswith(" of 21 sites")
    again = crfclean("forum", root / "data" / "forum" / SITE, tmp_path / "out", "--model", model)
    assert (
        again.told.splitlines()[-1]
        == "3 pages: 9 posts, 0 without, 0 failed; 4 files left out: no HTML (.json .xpath)"
    )


def test_training_needs_posts(crfclean: Command, tmp_path: Path, root: Path) -> None:
    pages = sites_of(root, tmp_path / "in", SITE)
    rules = pages / SITE / "posts.xpath"
    rules.write_text("comments=//video\ntext=.//p\n", "utf-8")
    outcome = crfclean("train", "--tagger", "forum", pages, "-o", tmp_path / "model")
    assert outcome.code == 2
    assert "posts.xpath matches no post" in outcome.err
    assert crfclean("train", "--tagger", "forum", tmp_path / "none").code == 2
