"""Tests that `clean`, `extract`, `run_many` and the adapters take the same choices."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import pytest

import crfclean
from crfclean.pipeline import CleanOptions
from crfclean.products.adapters.adapter import Cleaner

CHOICES = list(CleanOptions.__annotations__)


def parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(function).parameters


def choices_of(function: Callable[..., Any]) -> dict[str, object]:
    """The choices that a function takes, in order, with their defaults."""
    return {name: each.default for name, each in parameters(function).items() if name in CHOICES}


@pytest.mark.parametrize("caller", [crfclean.extract, crfclean.run_many, Cleaner])
def test_all_take_the_choices_of_clean(caller: Callable[..., Any]) -> None:
    assert list(choices_of(crfclean.clean)) == CHOICES
    assert choices_of(caller) == choices_of(crfclean.clean)
    for name in ("model", *CHOICES):
        mine, other = parameters(caller)[name], parameters(crfclean.clean)[name]
        assert (mine.kind, mine.default) == (other.kind, other.default)


def test_the_typed_keywords_have_the_types_of_clean() -> None:
    types = {name: parameters(crfclean.clean)[name].annotation for name in CHOICES}
    assert {name: each.__forward_arg__ for name, each in keywords().items()} == types


def keywords() -> dict[str, Any]:
    return dict(CleanOptions.__annotations__)


ADAPTERS = {
    "datatrove": ("CrfcleanExtractor",),
    "langchain": ("CrfcleanBlobParser", "CrfcleanTransformer"),
    "nemo": ("CrfcleanAlgorithm",),
    "ray": ("clean_dataset",),
    "spacy": ("create_cleaner",),
    "sklearn": ("CrfCleaner",),
}
LIBRARIES = {"langchain": "langchain_core", "nemo": "nemo_curator"}


@pytest.mark.parametrize("name", ADAPTERS)
def test_adapters_take_the_choices_of_clean(name: str) -> None:
    library = LIBRARIES.get(name, name)
    pytest.importorskip(library, reason=f"{library} is not installed")
    module = import_module(f"crfclean.products.adapters.{name}")
    for attribute in ADAPTERS[name]:
        caller = getattr(module, attribute)
        passed_on = parameters(caller).get("options")
        if passed_on is None:
            assert list(choices_of(caller)) == CHOICES
        else:
            assert passed_on.annotation == "Unpack[CleanOptions]"
