"""Measure CPU time a page by step and by input of the columns.

Run `python -m eval.cost.hot_path --set wcxb-dev --data DIR`.

Without `--set` the pages are the bundled ones. Every page is new, once. An input pays for what it
is the first to need; what several share is in the first one's figure.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache, partial
from typing import TypeVar, cast

import pycrfsuite

from crfclean.features.inputs import INPUTS
from crfclean.page.blocks import split
from crfclean.page.decode import decode
from crfclean.page.measures import Measures
from crfclean.taggers.crf import CrfTagger
from crfclean.taggers.load import load
from crfclean.types import Floats
from eval.lib.corpora import data_parser
from eval.lib.record import environment, record
from eval.lib.timing import demo_pages, drawn

Value = TypeVar("Value")


class Clock:
    """CPU milliseconds by name, summed over the pages."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}

    def __call__(self, name: str, call: Callable[[], Value]) -> Value:
        """The value of a call, whose CPU time is added under a name."""
        started = time.process_time()
        value = call()
        taken = (time.process_time() - started) * 1e3
        self.spent[name] = self.spent.get(name, 0.0) + taken
        return value

    def mean(self, pages: int) -> dict[str, float]:
        """Milliseconds a page, the most expensive first."""
        names = sorted(self.spent, key=lambda name: -self.spent[name])
        return {name: self.spent[name] / pages for name in names}


def by_crfsuite(tagger: CrfTagger, columns: Floats) -> list[float]:
    """The marginals of columns (n, features) by python-crfsuite itself, 3n of them."""
    engine = _engine(tagger.bundle.weights)
    encoder = tagger.bundle.encoder
    own = columns[:, : len(encoder.names)]  # behind them stand those of a second network
    engine.set(pycrfsuite.ItemSequence(encoder.encode(own)))
    names = engine.labels()
    return [engine.marginal(name, place) for place in range(len(columns)) for name in names]


@cache
def _engine(weights: bytes) -> pycrfsuite.Tagger:
    engine = pycrfsuite.Tagger()
    engine.open_inmemory(weights)
    return engine


def follow(html: str, tagger: CrfTagger, steps: Clock, inputs: Clock) -> None:
    """Take a page down the path, step by step; the columns' inputs a second time, one by one."""
    page = steps("decode", lambda: decode(html))
    blocks = steps("split", lambda: split(page))
    measures = Measures(blocks)
    columns = steps("columns", lambda: tagger.columns(measures))
    steps("columns to labels", lambda: tagger.predict(columns))
    steps("by python-crfsuite", lambda: by_crfsuite(tagger, columns))
    steps("tag, all of it", lambda: tagger.tag(blocks))
    again = Measures(blocks)
    for name, give in INPUTS.items():
        inputs(name, partial(give, again))


def main() -> None:
    args = data_parser(__doc__)
    args.add_argument("--set", default="", help="a set of --data instead of the bundled pages")
    args.add_argument("--pages", type=int, default=300)
    args.add_argument("--most", type=int, default=25, help="inputs that are printed")
    given = args.parse_args()
    pages = drawn(given.set, given.data, given.pages)
    tagger = cast("CrfTagger", load("default"))
    follow(demo_pages()[0], tagger, Clock(), Clock())
    steps, inputs = Clock(), Clock()
    for html in pages:
        follow(html, tagger, steps, inputs)
    by_step, by_input = steps.mean(len(pages)), inputs.mean(len(pages))
    for name, ms in [*by_step.items(), *list(by_input.items())[: given.most]]:
        print(f"{name:24} {ms:7.3f}")
    print(f"{'all inputs':24} {sum(by_input.values()):7.3f}")
    result = {"set": given.set or "demo", "pages": len(pages), "steps_ms": by_step}
    record("cost/hot_path", {**result, "inputs_ms": by_input, **environment()})


if __name__ == "__main__":
    main()
