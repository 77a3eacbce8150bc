"""Tests of eval/models: models of page types and of kinds are learned, written and read again."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from crfclean.model.folder import BIAS, load_logistic
from crfclean.model.kinds import load_kind_model
from crfclean.model.networks import softmax
from crfclean.model.pagetype import load_page_model, page_type
from crfclean.page.blocks import split
from crfclean.teach.gold import GoldPage
from crfclean.types import Document, Page, Tags
from eval.lib.weights import save_logistic
from eval.models.page_types import (
    PageParams,
    TypedPage,
    save_page_model,
    train_page_type,
    typed_pages,
)
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


def typed(count: int) -> list[TypedPage]:
    return typed_pages(golds(count))


def test_descent_reaches_the_least() -> None:
    """At the least of the objective its gradient is 0 but for what the penalty says."""
    pages, params = typed(6), PageParams(l2=0.1, steps=3_000)
    model = train_page_type(pages, params)
    inputs = model.inputs(np.array([page.row for page in pages]))
    truth = np.eye(len(model.types))[[model.types.index(page.kind) for page in pages]]
    error = softmax(inputs @ model.weights[1] + model.bias[1]) - truth
    gradient = inputs.T @ error / len(pages) + params.l2 * model.weights[1]
    assert np.abs(gradient).max() < 1e-6
    assert np.abs(error.mean(axis=0)).max() < 1e-6


def test_a_saved_model_of_types_judges_as_before(tmp_path: Path) -> None:
    model = train_page_type(typed(3), PageParams(steps=20))
    save_page_model(model, tmp_path / "model")
    rows = np.array([page.row for page in typed(3)])
    assert load_page_model(tmp_path / "model")(rows) == pytest.approx(model(rows), abs=1e-3)
    assert load_page_model(tmp_path / "model").about["parameters"]["steps"] == 20


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


def test_saved_weights_are_read(tmp_path: Path) -> None:
    weights = {"gate": {"a": 0.5, "b": -1.25, BIAS: 2.0}}
    for name in ("one", "two"):
        save_logistic(tmp_path / name, "decision", weights, {"pages": 3})
    assert load_logistic(tmp_path / "one", "decision", {"gate": ("a", "b")}) == weights
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
