"""Names that modules of products had beside the core: the same module, also in pickles."""

from __future__ import annotations

import pickle
from importlib import import_module
from pkgutil import resolve_name

import pytest

from crfclean import moved
from crfclean.types import Page

OLD = (
    *("corpus.engine", "corpus.jobs", "forum", "forum.posts", "forum.joining", "teach.gold"),
    *("teach.train", "teach.tune", "teach.runner", "teach.metrics", "teach.audit"),
    *("teach.audit_summary", "teach.drift", "extras.adapter", "web.fetch", "model.fit"),
    *("systems.perceptron", "systems.coherent", "systems.article"),
)


@pytest.mark.parametrize("name", OLD)
def test_an_old_name_is_the_module_itself(name: str) -> None:
    old = import_module(f"crfclean.{name}")
    new = import_module(moved.moved(f"crfclean.{name}"))
    assert old is new
    assert new.__spec__ is not None
    assert new.__spec__.name == new.__name__


def test_pickles_by_old_names_are_read() -> None:
    from crfclean.products.teach.gold import GoldPage

    page = GoldPage("a", Page("<p>Rain."), "Rain.", "s", "k")
    data = pickle.dumps(page, 0).replace(b"ccrfclean.products.teach", b"ccrfclean.teach")
    assert b"ccrfclean.teach.gold\n" in data
    assert type(pickle.loads(data)) is GoldPage


def test_what_never_was_there_is_not_found() -> None:
    for name in ("crfclean.teach.nothing", "crfclean.nothing"):
        with pytest.raises(ModuleNotFoundError):
            import_module(name)


@pytest.mark.parametrize(
    "place",
    [
        "decision.rules:expected_f1",
        "page.blocks:words_at",
        "systems.load:by_name",
        "teach.drift:falls_of_sites",
        "teach.drift:sites_in_time",
        "document.overlay:view_of_page",
    ],
)
def test_documented_names_stay_where_they_were(place: str) -> None:
    assert callable(resolve_name(f"crfclean.{place}"))
