"""Decide whether readers' comments belong to a page's text: on threads they do.

Annotators of articles leave comments out, those of threads keep nothing else. The gate is a
logistic regression over a few clues of the page, trained by `eval/models/train_threads.py`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from crfclean.features.kinds import is_comment
from crfclean.io import canonical, check_digest, digest, with_digest, write_atomically
from crfclean.modelfiles.folder import MANIFEST, find_model
from crfclean.modelfiles.plain import FORMAT, reading
from crfclean.page.head import head_metadata
from crfclean.page.measures import Measures
from crfclean.pagetype.read import PAGE_MODEL, open_page_model
from crfclean.pagetype.rows import row_without_address
from crfclean.types import Bools, Floats, Label, ModelError
from crfclean.types.pattern import late_pattern

SHIPPED_GATE = Path(__file__).parent / "threads.json"
_KIND = "threads"

LEAST_WORDS = 10.0
"""Expected words of comments below which the gate is not asked: they change no text by much."""

BIAS = "bias"
COUNTED = "counts_comments"
CLUES = (
    "log_outside",
    "sure_inside",
    "declares_thread",
    "declares_article",
    "forum",
    COUNTED,
    BIAS,
)
"""The inputs of the gate: the logarithm of the expected words outside comments, the mean
probability of the words inside them, whether the page declares that it is a thread or an article,
the log-odds of the type "forum" by the model of page types, and whether the comments begin with
their number, as under an article ("17 comments")."""

THREAD_TYPES = frozenset(["discussionforumposting", "qapage", "question", "answer"])
ARTICLE_TYPES = frozenset(
    (
        "article newsarticle blogposting reportagenewsarticle analysisnewsarticle "
        "opinionnewsarticle liveblogposting og:article"
    ).split()
)
_FEW_WORDS = 10.0  # added before the logarithm
_MIDDLE = 4.0  # a logarithm of words in the middle of its range
_LEAST = 0.01  # added to both probabilities of the odds
_FIRST_BLOCKS = 2  # of the comments: their heading stands there
_MAX_COUNT_WORDS = 25  # of a block that says how many comments there are, and on what
_DIGIT = late_pattern(r"\d")


class PageClues(NamedTuple):
    """What a page says of being a thread, whatever a tagger thinks of its blocks.

    `forum` is the log-odds of the type "forum", without the page's address; `counts_comments`
    whether the comments begin with their number.
    """

    declares_thread: bool
    declares_article: bool
    forum: float
    counts_comments: bool


class ThreadVerdict(NamedTuple):
    """The blocks inside comments, shape (n,), and the probability that the page is a thread."""

    inside: Bools
    probability: float

    @property
    def is_thread(self) -> bool:
        """Whether the comments belong to the text."""
        return self.probability >= 0.5


def verdict(page: Measures, marginals: Floats) -> ThreadVerdict | None:
    """The verdict on a page of n blocks with these marginals (n, 3), as in `verdict_of`."""
    if not len(page):
        return None
    return verdict_of(marginals, page.words, is_comment(page), partial(page_clues, page))


def verdict_of(
    marginals: Floats, words: Floats, inside: Bools, clues: Callable[[], PageClues]
) -> ThreadVerdict | None:
    """The verdict from marginals (n, 3), words (n,) and the blocks inside comments (n,).

    None where the comments have fewer than `LEAST_WORDS` expected words. `clues` is called only
    elsewhere: the type of a page costs more than all the rest. Raises `ModelError`.
    """
    expected = words * (1.0 - marginals[:, Label.OTHER])
    if not inside.any() or expected[inside].sum() < LEAST_WORDS:
        return None
    weights = shipped_gate()
    logit = float(gate_inputs(expected, words, inside, clues()) @ list(weights.values()))
    return ThreadVerdict(inside, 1.0 / (1.0 + math.exp(-logit)))


def gate_inputs(expected: Floats, words: Floats, inside: Bools, clues: PageClues) -> Floats:
    """The values of `CLUES`, from expected words (n,), words (n,) and blocks inside comments."""
    outside = float(expected[~inside].sum())
    sure = float(expected[inside].sum()) / max(float(words[inside].sum()), 1.0)
    declared = float(clues.declares_thread), float(clues.declares_article)
    said = *declared, clues.forum, float(clues.counts_comments)
    return np.array([math.log(outside + _FEW_WORDS) - _MIDDLE, sure, *said, 1.0])


def page_clues(page: Measures) -> PageClues:
    """The clues of a page that is not empty; raises `ModelError`."""
    types, model = head_metadata(page).types, open_page_model()
    probabilities = model(row_without_address(page)[None, :])[0]
    forum = float(probabilities[model.types.index("forum")])
    odds = math.log((forum + _LEAST) / (1.0 - forum + _LEAST))
    declared = bool(types & THREAD_TYPES), bool(types & ARTICLE_TYPES)
    return PageClues(*declared, odds, counts_comments(page))


def counts_comments(page: Measures) -> bool:
    """Whether the comments begin with their number, in any language of the lexicon."""
    from crfclean.expert.comments import mentions_comments  # for pages with comments alone

    first = np.flatnonzero(is_comment(page))[:_FIRST_BLOCKS]
    texts = [page.texts[block] for block in first if page.words[block] <= _MAX_COUNT_WORDS]
    return any(bool(_DIGIT.search(text)) and mentions_comments(text) for text in texts)


@cache
def shipped_gate() -> Mapping[str, float]:
    """The shipped weights of `CLUES`, in their order, read once; raises `ModelError`."""
    return load_gate(SHIPPED_GATE)


def gate_fingerprint() -> str:
    """16 hexadecimal digits of all that a verdict depends on; raises `ModelError`."""
    with reading(SHIPPED_GATE):
        manifest = (find_model(PAGE_MODEL) / MANIFEST).read_bytes()
        return digest(canonical(dict(shipped_gate())), manifest)


def save_gate(path: Path, weights: Mapping[str, float], about: Mapping[str, Any]) -> None:
    """Write a file of weights; `about` describes the training sets. Raises `OSError`."""
    parts = {"format": FORMAT, "kind": _KIND, "about": dict(about), "weights": dict(weights)}
    text = json.dumps(with_digest(parts), indent=1, ensure_ascii=False)
    write_atomically(path, (text + "\n").encode())


def load_gate(path: Path) -> dict[str, float]:
    """The weights of `CLUES` in a file; raises `ModelError` that says what is wrong."""
    with reading(path):
        parts = json.loads(path.read_text("utf-8"))
        if (parts["kind"], parts["format"]) != (_KIND, FORMAT):
            raise ModelError(f"{path}: no gate of threads, or of another format: train it again")
        check_digest(path, parts)
        weights = {name: float(weight) for name, weight in parts["weights"].items()}
        if tuple(weights) != CLUES or not all(map(math.isfinite, weights.values())):
            raise ModelError(f"{path}: no finite weights of {', '.join(CLUES)}: train it again")
        return weights
