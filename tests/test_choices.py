"""The names of choices are those of the modules that do the work."""

from __future__ import annotations

from dataclasses import fields
from typing import get_args, get_type_hints

from crfclean.document.formats import ALIASES, WRITERS
from crfclean.document.parts import Show
from crfclean.products.forum.thread_writers import THREAD_WRITERS
from crfclean.products.papers.coherent import METHODS
from crfclean.products.teach.means import BY
from crfclean.products.teach.peers import EXTRACTIONS
from crfclean.types import (
    CoarseKind,
    Format,
    Kind,
    Switches,
    choices,
)


def test_names_are_those_of_the_work() -> None:
    assert tuple(BY) == choices.SCORE_GROUPS
    assert set(choices.PEERS) <= set(EXTRACTIONS)


def test_formats_are_those_of_the_writers() -> None:
    assert tuple(THREAD_WRITERS) == choices.FORUM_FORMATS
    assert set(get_args(Format)) == {*WRITERS, *ALIASES}


def test_switches_are_those_of_show() -> None:
    types = get_type_hints(Show)
    declared = [(switch.name, types[switch.name]) for switch in fields(Show) if switch.metadata]
    assert list(get_type_hints(Switches).items()) == declared


def test_kinds_are_those_of_the_values() -> None:
    assert tuple(METHODS) == choices.SEGMENT_METHODS
    coarse = tuple(kind.name.lower() for kind in CoarseKind)
    assert (*coarse, choices.COMMENTS_OF_THREADS) == choices.COARSE_WORDS
    assert tuple(kind.name.lower() for kind in Kind) == choices.KIND_WORDS
    assert set(choices.KEEPABLE) == {*choices.COARSE_WORDS, *choices.KIND_WORDS}
    assert len(set(choices.KEEPABLE)) == len(choices.KEEPABLE)
