"""What taggers of every kind of model have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from crfclean.features.block_kinds import kinds_of
from crfclean.features.kinds import coarse_kinds
from crfclean.io import canonical, digest
from crfclean.modelfiles.folder import Bundle, load_bundle
from crfclean.nn.files import labels_to_bytes
from crfclean.page.measures import Measures
from crfclean.taggers.capabilities import Decides
from crfclean.taggers.decision import (
    BELOW_PRECISION,
    CERTAINLY_OTHER,
    by_convention,
    cut,
    expected_f1,
    labels_by_convention,
)
from crfclean.taggers.params import CutParams, asks_for_threads, by_kinds
from crfclean.taggers.pooling import PARAMETER
from crfclean.taggers.threads import ThreadVerdict, gate_fingerprint, verdict
from crfclean.taggers.whole_tables import pool, tables
from crfclean.types import (
    CommentsLeftOut,
    CrfcleanError,
    Floats,
    Ints,
    Label,
    ModelError,
    Reason,
    Tagger,
    Tags,
)

COMMENT_REASON = "comment.thread"
"""The reason of blocks inside comments: how probably the page is a thread."""


@dataclass(frozen=True, slots=True)
class BlockFacts:
    """The words (n,) and `CoarseKind`s (n,) of n blocks, the verdict on comments, and the tables.

    `fine` (n,) are the `Kind`s, None where the decision does not depend on them.
    `tables` (n,) are those of `whole_tables.tables`, None for a page without.
    """

    words: Floats
    kinds: Ints
    verdict: ThreadVerdict | None = None
    tables: Ints | None = None
    fine: Ints | None = None


def decide(marginals: Floats, best: Ints, facts: BlockFacts, params: CutParams) -> Tags:
    """Tags by the decision rule from marginals (n, 3) and Viterbi's labels (n,).

    Labels and marginals are adapted to `params.keep`. Where the rule "precision" keeps nothing, the
    tags say so. Where the verdict is that the page is no thread, what is inside comments is OTHER
    with certainty before the rule chooses among the other blocks. A likely data table has one
    probability, so that it is kept as one, but by the rule "viterbi", which decides by sequence.
    """
    tags, verdict = _decided(marginals, best, facts, params), facts.verdict
    if verdict is None:
        return tags
    if verdict.is_thread:
        return replace(tags, thread=verdict.probability)
    inside = verdict.inside
    barred = np.where(inside[:, None], CERTAINLY_OTHER, marginals)
    labels = np.where(inside, Label.OTHER, best).astype(np.int32) if len(best) else best
    kept = inside & tags.kept
    left_out = CommentsLeftOut(verdict.probability, inside, kept, tags.marginals)
    decided = _decided(barred, labels, facts, params)
    return replace(decided, comments_left_out=left_out, thread=verdict.probability)


def _decided(marginals: Floats, best: Ints, facts: BlockFacts, params: CutParams) -> Tags:
    if facts.tables is not None:
        marginals = pool(marginals, facts.words, facts.tables)
    adapted = by_convention(marginals, facts.kinds, params.keep, facts.fine)
    chosen = best if params.rule == "viterbi" else cut(adapted, facts.words, params)
    labels = labels_by_convention(chosen, facts.kinds, params.keep, facts.fine)
    kept = labels != Label.OTHER
    probability = 1.0 - adapted[:, Label.OTHER]
    is_refused = params.rule == "precision" and not kept.any()
    score = expected_f1(probability, facts.words, kept)
    return Tags(labels, adapted, score, refusal=BELOW_PRECISION if is_refused else "")


def decide_page(page: Measures, marginals: Floats, best: Ints, params: CutParams) -> Tags:
    """Tags of a page's blocks, as in `decide`; raises `ModelError` for a damaged gate."""
    return decide(marginals, best, block_facts(page, marginals, params), params)


def block_facts(page: Measures, marginals: Floats, params: CutParams) -> BlockFacts:
    """What `decide` must know of a page's blocks; raises `ModelError` for a damaged gate."""
    in_tables = tables(page) if len(page) else None
    fine = kinds_of(page) if by_kinds(params.keep) else None
    said = thread_verdict(page, marginals, params)
    return BlockFacts(page.words, coarse_kinds(page), said, in_tables, fine)


def thread_verdict(page: Measures, marginals: Floats, params: CutParams) -> ThreadVerdict | None:
    """The verdict on a page's comments, None where it does not matter; raises `ModelError`."""
    return verdict(page, marginals) if asks_for_threads(params.keep) else None


def comment_reasons(
    page: Measures, marginals: Floats, params: CutParams
) -> Mapping[int, list[Reason]]:
    """Block -> the reason that it is kept or left out as a comment, where the verdict mattered.

    The value is the probability that the page is a thread, the weight its log-odds.
    """
    page_verdict = thread_verdict(page, marginals, params)
    if page_verdict is None:
        return {}
    reason = Reason(COMMENT_REASON, page_verdict.probability, page_verdict.log_odds)
    return {block: [reason] for block in np.flatnonzero(page_verdict.inside).tolist()}


def decide_each(page: Measures, marginals: Floats, params: CutParams) -> Tags:
    """Tags from marginals of any origin; the rule "viterbi" takes each block by itself."""
    return decide_page(page, marginals, marginals.argmax(1).astype(np.int32), params)


def fingerprint_of(bundle: Bundle, params: CutParams) -> str:
    """16 hexadecimal digits of a model and its decision rule."""
    network = b"" if bundle.network is None else labels_to_bytes(bundle.network)
    parts = {"kind": bundle.kind, "elements": bundle.elements, "cut": params}
    parts |= {PARAMETER: weight} if (weight := bundle.parameters.get(PARAMETER)) else {}
    parts |= {"threads": gate_fingerprint()} if asks_for_threads(params.keep) else {}
    return digest(bundle.weights, network, canonical(parts | {"encoder": bundle.encoder}))


def params_of(folder: Path, bundle: Bundle) -> CutParams:
    """The decision rule in a manifest; raises `ModelError`."""
    try:
        values = {**bundle.cut}
        values["keep"] = tuple(values.get("keep", ()))  # JSON has lists
        return CutParams(**values)
    except (TypeError, CrfcleanError) as error:
        raise ModelError(f"{folder}: unknown parameter of the cut: {error}") from error


def reopen(make: Callable[[Path, Bundle], Decides], folder: Path, params: CutParams) -> Tagger:
    """The tagger of a folder, made by `make`, with this decision rule; raises `ModelError`."""
    return make(folder, load_bundle(folder)).with_cut(params)


@contextmanager
def naming(folder: Path) -> Iterator[None]:
    """A context that puts the model's folder or file in front of a `ModelError`'s message."""
    try:
        yield
    except ModelError as error:
        raise ModelError(f"{folder}: {error}") from error
