"""Tests of taggers' capabilities: every switch works with every tagger that has what it needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from crfclean.corpus.clean import BatchParams
from crfclean.pipeline import run
from crfclean.systems.load import (
    Decides,
    HasModel,
    Judges,
    MarksComments,
    Traces,
    capability,
    load,
    name_of,
    named,
    need,
    with_comments,
)
from crfclean.systems.perceptron import PostParams, PostTagger
from crfclean.types import Blocks, CrfcleanError, Page, Tagger, Tags

# taggers around others


class Plain:
    """A tagger that can do nothing but keep all blocks."""

    def tag(self, blocks: Blocks) -> Tags:
        count = len(blocks)
        return Tags(np.ones(count, np.int32), np.tile([0.0, 1.0, 0.0], (count, 1)), 1.0)


WRAPPERS: dict[str, Callable[[Tagger], Tagger]] = {
    "post": PostTagger,
}
every_wrapper = pytest.mark.parametrize("around", WRAPPERS.values(), ids=WRAPPERS)


@every_wrapper
@pytest.mark.parametrize("wanted", [Decides, Judges, Traces, MarksComments, HasModel])
def test_no_wrapper_claims_what_its_tagger_cannot(
    around: Callable[[Tagger], Tagger], wanted: type
) -> None:
    assert capability(Plain(), wanted) is None
    assert capability(around(Plain()), wanted) is None
    assert capability(around(around(Plain())), wanted) is None


def test_the_tagger_inside_is_named_and_decides() -> None:
    model = load()
    cut = replace(need(model, Decides).cut, rule="threshold", threshold=0.25)
    outer = PostTagger(model, PostParams(begin=False))
    assert (outer.name, outer.elements) == (name_of(model), ())
    assert outer.cut == need(model, Decides).cut
    changed = outer.with_cut(cut)
    assert changed.cut == need(changed.inner, Decides).cut == cut
    assert changed.params == outer.params


def test_what_the_tagger_inside_cannot_do_is_said() -> None:
    outer = PostTagger(named("expert"))
    assert capability(outer, Traces) is not None
    assert capability(outer, MarksComments) is not None
    with pytest.raises(CrfcleanError):
        _ = outer.cut


# asking


def test_a_tagger_that_only_tags_still_cleans() -> None:
    document = run(Page("<p>One two.</p>"), Plain())
    assert document.text == "One two."
    assert BatchParams(Plain()).model is None
    assert with_comments(document, Plain(), "separate").comments == []
