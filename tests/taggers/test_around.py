"""What taggers around another one have of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crfclean.site import Site, SiteParams, SiteTagger
from crfclean.taggers.capabilities import (
    Around,
    Decides,
    MarksComments,
    Traces,
    capability,
    name_of,
    need,
)
from crfclean.taggers.load import load, named
from crfclean.taggers.postanalysis import PostParams, PostTagger
from crfclean.types import CrfcleanError, Tagger

PARAMS = SiteParams(repeat=1.0)


def around(tagger: Tagger) -> list[Around]:
    return [
        SiteTagger(tagger, Site.__new__(Site), PARAMS),
        PostTagger(tagger, PostParams()),
    ]


def test_the_tagger_inside_is_named_and_decides() -> None:
    model = load()
    cut = replace(need(model, Decides).cut, rule="threshold", threshold=0.25)
    for outer in around(model):
        assert outer.inner is model
        assert (outer.name, outer.elements) == (name_of(model), ())
        assert outer.cut == need(model, Decides).cut
        changed = outer.with_cut(cut)
        assert type(changed) is type(outer)
        assert changed.cut == need(changed.inner, Decides).cut == cut
        kept = {name: vars(outer)[name] for name in vars(outer) if name != "tagger"}
        assert {name: vars(changed)[name] for name in kept} == kept


def test_what_the_tagger_inside_cannot_do_is_said() -> None:
    expert = named("expert")
    for outer in around(expert):
        assert capability(outer, Traces) is not None
        assert capability(outer, MarksComments) is not None
        assert capability(outer, Decides) is None
        with pytest.raises(CrfcleanError):
            _ = outer.cut
