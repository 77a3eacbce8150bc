"""Tests of eval/models: models of page types and of kinds are learned, written and read again."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from crfclean.model.kind_model import load_kind_model
from crfclean.model.pagetype import page_type
from crfclean.page.blocks import split
from crfclean.products.teach.gold import GoldPage
from crfclean.types import Document, Page, Tags
from eval.models.train_kinds import save_kind_model

PAGES = {
    "thread": ("<p class=post>I tried it, thanks! <a href=r>Reply</a>" * 9, "https://a.ex/forum/1"),
    "shop": ("<h1>Skates</h1><p class=price>$49.90<p>Add to cart", "https://b.ex/products/2"),
    "article": ("<h1>Ice</h1>" + "<p>The ferry stayed in its harbour." * 20, "https://c.ex/ice"),
}


def golds(count: int) -> list[GoldPage]:
    """Pages of each type, each a little longer than the last."""
    return [
        GoldPage(f"{name}{n}", Page(html + "<p>more</p>" * n, url), "", "s", f"site{n}", name)
        for name, (html, url) in PAGES.items()
        for n in range(count)
    ]


def test_the_example_of_the_manual_works(root: Path, tmp_path: Path) -> None:
    rows = [
        {"id": gold.id, "url": gold.page.url, "html": gold.page.html, "gold": ""}
        | {"page_type": f"my-{gold.kind}"}
        for gold in golds(2)
    ]
    pages = tmp_path / "my-pages.jsonl"
    pages.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    manual = (root / "docs" / "pagetype.md").read_text("utf-8")
    code = manual.rpartition("```python\n")[2].partition("```")[0]
    for name in ("my-pages.jsonl", "my-types"):
        code = code.replace(f'"{name}"', repr(str(tmp_path / name)))
    blocks = split(Page(*PAGES["thread"]))
    tags = Tags(np.full(len(blocks), 2), np.tile([0.0, 0.0, 1.0], (len(blocks), 1)), 0.0)
    known = {"page_type": page_type, "document": Document(PAGES["thread"][1], blocks, tags)}
    *steps, last = code.strip().splitlines()
    exec("\n".join(steps), known)
    assert eval(last, known).name == "my-thread"


def test_the_shipped_model_of_kinds_is_written_as_it_is(root: Path, tmp_path: Path) -> None:
    shipped = root / "models" / "kinds"
    save_kind_model(load_kind_model(shipped), tmp_path / "kinds")
    for name in ("manifest.json", "weights.json"):
        assert (tmp_path / "kinds" / name).read_bytes() == (shipped / name).read_bytes()
