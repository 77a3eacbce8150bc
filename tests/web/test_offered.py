"""Tests of `web/service.py`."""

from __future__ import annotations

from pathlib import Path

import pytest

from crfclean.forum.tagger import ForumTagger
from crfclean.systems.load import NAMED, SHIPPED, name_of
from crfclean.types import ModelError
from crfclean.web import service
from crfclean.web.service import default_names, open_offered


def test_all_taggers_of_the_installation() -> None:
    assert default_names() == (*SHIPPED.values(), *NAMED, "forum")
    assert [name_of(open_offered(name)) for name in default_names()] == [*SHIPPED, *NAMED, "forum"]


def test_models_that_are_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(name: str) -> Path:
        if name == "mlp":
            raise ModelError(name)
        return Path(name)

    monkeypatch.setattr(service, "find_model", find)
    assert default_names() == ("default", *NAMED, "forum")


def test_the_forum_model_is_loaded_with_the_first_page() -> None:
    tagger = open_offered("forum")
    assert isinstance(tagger, ForumTagger)
    assert "model" not in vars(tagger)
    tagger.open()
    assert "model" in vars(tagger)
