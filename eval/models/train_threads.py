"""Train the gate that tells whether readers' comments belong to a page's text.

Run `python -m eval.models.train_threads --data DIR --save`.

A page is a thread if its text scores better with the comments than without, by the shipped model.
The gate is a logistic regression with an L2 penalty and equal weights of both classes, fitted by
Newton's method. Only the weight of `counts_comments` is its logarithmic likelihood ratio: articles
that it tells are mostly told by other clues as well, so that a fit gives it next to nothing; on
pages of another kind it is all there is (seen on dragnet-dev, home ground for it therefore). The
table has each collection judged by a gate that has not seen it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from crfclean.features.kinds import coarse_kinds, is_comment
from crfclean.gold.align import align
from crfclean.gold.pages import GoldPage
from crfclean.page.blocks import split
from crfclean.page.latest import measured
from crfclean.page.measures import Measures
from crfclean.parallel import map_in_order
from crfclean.taggers.capabilities import Decides, Judges, need
from crfclean.taggers.learned import BlockFacts, decide
from crfclean.taggers.load import load
from crfclean.taggers.params import CutParams
from crfclean.taggers.threads import (
    BIAS,
    CLUES,
    COUNTED,
    LEAST_WORDS,
    SHIPPED_GATE,
    ThreadVerdict,
    gate_inputs,
    page_clues,
    save_gate,
)
from crfclean.types import Bools, Floats, Label, Tagger
from eval.lib.corpora import corpus, data_parser
from eval.lib.record import environment, record

TRAIN = tuple(
    (
        "htmldate-dev trafilatura-dev web-forum-52-dev magic-html-forum fundus-dev immortal-zh "
        "magic-html-article wcxb-dev readability"
    ).split()
)
MEASURED = ("dragnet-dev", "daniel-dev", "cleaneval-dev")
"""Sets that no gate learns from; the text of cleaneval-dev has comments."""

SNIPPETS, ARTICLES = "trafilatura-dev", "htmldate-dev"
"""A set with snippets in place of texts, and one with nothing but articles and without texts."""

MOST_MEASURED = 300
LEAST_DIFFERENCE = 0.01  # of F1: pages below say nothing of their comments
PENALTY, BIAS_PENALTY = 1.0, 1e-3
STEPS = 50
DECIMALS = 3


@dataclass(frozen=True)
class JudgedPage:
    """A page with comments: the gate's inputs, its class if it has one, F1 with and without."""

    inputs: Floats
    is_thread: bool | None
    with_comments: float = 0.0
    without: float = 0.0


def sample(name: str, data: str) -> list[GoldPage]:
    """The pages of a set; `MOST_MEASURED`, always the same, of one that is only measured."""
    pages = corpus(name, data)
    if name in TRAIN:
        return pages
    keys = {page.id: hashlib.sha256(page.id.encode()).digest() for page in pages}
    return sorted(pages, key=lambda page: keys[page.id])[:MOST_MEASURED]


def judge(gold: GoldPage, shared: tuple[str, Tagger]) -> JudgedPage | None:
    """A page with its class; None for one without comments, a gold or blocks."""
    name, tagger = shared
    blocks = split(gold.page)
    if not len(blocks) or (name not in (SNIPPETS, ARTICLES) and not gold.text.strip()):
        return None
    page = measured(blocks)
    inside = is_comment(page)
    marginals = need(tagger, Judges).marginals(blocks)
    expected = page.words * (1.0 - marginals[:, Label.OTHER])
    has_comments = bool(expected[inside].sum() >= LEAST_WORDS)
    if not has_comments and name in (SNIPPETS, ARTICLES):
        return None
    inputs = gate_inputs(expected, page.words, inside, page_clues(page)) if has_comments else None
    if name == ARTICLES:
        return None if inputs is None else JudgedPage(inputs, is_thread=False)
    if name == SNIPPETS:
        is_thread = by_snippets(gold, blocks.texts, inside)
        return None if inputs is None else JudgedPage(inputs, is_thread)
    params = need(tagger, Decides).cut
    both = with_and_without(gold, page, marginals, inside, params)
    if inputs is None:
        return JudgedPage(np.zeros(0), None, both[0], both[0])
    is_clear = abs(both[0] - both[1]) > LEAST_DIFFERENCE
    return JudgedPage(inputs, both[0] > both[1] if is_clear else None, *both)


def with_and_without(
    gold: GoldPage, page: Measures, marginals: Floats, inside: Bools, params: CutParams
) -> tuple[float, float]:
    """F1 on words of blocks by aligned labels, with comments and without."""
    best, block_kinds = marginals.argmax(1).astype(np.int32), coarse_kinds(page)
    in_gold = align(page.blocks, gold.text) != Label.OTHER
    scores = []
    for probability in (1.0, 0.0):
        verdict = ThreadVerdict(inside, probability)
        facts = BlockFacts(page.words, block_kinds, verdict)
        kept = decide(marginals, best, facts, params).kept
        right = 2.0 * float((page.words * (kept & in_gold)).sum())
        scores.append(right / max(float((page.words * kept + page.words * in_gold).sum()), 1e-9))
    return scores[0], scores[1]


def by_snippets(gold: GoldPage, texts: Sequence[str], inside: Bools) -> bool | None:
    """Whether a snippet of the text stands inside comments; None where none is on the page."""
    places = [
        block
        for snippet in gold.wanted
        if (block := next((at for at, text in enumerate(texts) if snippet in text), -1)) >= 0
    ]
    return any(bool(inside[block]) for block in places) if places else None


def fit(pages: Sequence[JudgedPage]) -> dict[str, float]:
    """The weights of `CLUES` from pages that have a class."""
    inputs = np.array([page.inputs for page in pages])
    truth = np.array([page.is_thread for page in pages], np.float64)
    counted, fitted = CLUES.index(COUNTED), [name for name in CLUES if name != COUNTED]
    weights = dict(zip(fitted, regression(np.delete(inputs, counted, 1), truth), strict=True))
    with_count, without = likelihood_ratios(inputs[:, counted] > 0, truth > 0)
    weights[COUNTED] = with_count - without
    weights[BIAS] += without
    return {name: round(float(weights[name]), DECIMALS) for name in CLUES}


def likelihood_ratios(clue: Bools, truth: Bools) -> tuple[float, float]:
    """Logarithms of how much likelier a clue, and its absence, are on threads; shapes (n,).

    Laplace's rule of succession keeps both finite.
    """
    on_threads, on_articles = ((clue[of].sum() + 1) / (of.sum() + 2) for of in (truth, ~truth))
    return (
        float(np.log(on_threads / on_articles)),
        float(np.log((1 - on_threads) / (1 - on_articles))),
    )


def regression(inputs: Floats, truth: Floats) -> Floats:
    """The weights of inputs (n, k), the bias last, by classes (n,) of 0 and 1; shape (k,)."""
    weight = np.where(truth > 0, 0.5 / truth.mean(), 0.5 / (1.0 - truth.mean()))
    penalty = np.diag([PENALTY] * (inputs.shape[1] - 1) + [BIAS_PENALTY])
    weights = np.zeros(inputs.shape[1])
    for _ in range(STEPS):
        guess = 1.0 / (1.0 + np.exp(-inputs @ weights))
        slope = inputs.T @ (weight * (guess - truth)) + penalty @ weights
        curvature = (inputs.T * (weight * guess * (1.0 - guess))) @ inputs + penalty
        weights = weights - np.linalg.solve(curvature, slope)
    return weights


def classed(pages: Sequence[JudgedPage]) -> list[JudgedPage]:
    """The pages that have a class."""
    return [page for page in pages if page.is_thread is not None]


def table_row(pages: Sequence[JudgedPage], weights: Mapping[str, float]) -> dict[str, float]:
    """How a gate does on a set: classes that are right; F1 if comments are kept, dropped, gated."""
    values = np.array(list(weights.values()))
    opens = [len(page.inputs) > 0 and float(page.inputs @ values) >= 0 for page in pages]
    asked = [len(page.inputs) > 0 for page in pages]
    right = [
        opened == page.is_thread
        for page, opened in zip(pages, opens, strict=True)
        if page.is_thread is not None
    ]
    both = np.array([(page.with_comments, page.without) for page in pages])
    gated = np.where(opens, both[:, 0], both[:, 1])
    figures = {"keep": both[:, 0], "drop": both[:, 1], "gate": gated, "oracle": both.max(1)}
    if not both.any():  # a set without texts
        figures = {}
    return {
        "pages": len(pages),
        "asked": sum(asked),
        "classed": len(right),
        "right": sum(right),
        **{name: round(float(values.mean()), 4) for name, values in figures.items()},
    }


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--save", action="store_true", help=f"write {SHIPPED_GATE.name}")
    args = parser.parse_args()
    tagger = load()
    sets = dict[str, list[JudgedPage]]()
    for name in (*TRAIN, *MEASURED):
        judged = map_in_order(judge, sample(name, args.data), (name, tagger), args.workers)
        sets[name] = [page for page in judged if page is not None]
    table = {}
    for name, pages in sets.items():
        others = [page for other in TRAIN if other != name for page in classed(sets[other])]
        table[name] = table_row(pages, fit(others))
        print(f"{name:20}", *(f"{key} {value}" for key, value in table[name].items()))
    learned = [page for name in TRAIN for page in classed(sets[name])]
    weights = fit(learned)
    about = {
        "sets": list(TRAIN),
        "pages": len(learned),
        "threads": sum(bool(page.is_thread) for page in learned),
    }
    print(weights)
    if args.save:
        save_gate(SHIPPED_GATE, weights, about)
    result = {"left_one_out": table, "weights": weights, **about, **environment()}
    record("models/threads", result)


if __name__ == "__main__":
    main()
