"""What taggers of every kind of model have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from crfclean.features.block_kinds import kinds_of
from crfclean.features.kinds import coarse_kinds, titles_alone
from crfclean.features.zones import is_named_teaser
from crfclean.io import canonical, digest
from crfclean.modelfiles.folder import Bundle, load_bundle
from crfclean.nn.files import labels_to_bytes
from crfclean.page.measures import Measures
from crfclean.taggers.articles import (
    ArticleVerdict,
    article_fingerprint,
    article_verdict,
    beside,
)
from crfclean.taggers.capabilities import Decides
from crfclean.taggers.decision import (
    BELOW_PRECISION,
    CERTAINLY_OTHER,
    Cut,
    choice_of,
    cut_by_rule,
    log_odds,
)
from crfclean.taggers.params import CutParams, asks_for_articles, asks_for_threads, by_kinds
from crfclean.taggers.pooling import PARAMETER
from crfclean.taggers.sure_kinds import (
    is_list_of,
    leaves_out,
    left_out,
    sure_fingerprint,
    sure_kinds_of,
)
from crfclean.taggers.threads import ThreadVerdict, gate_fingerprint, verdict
from crfclean.taggers.whole_tables import pool, tables
from crfclean.types import (
    Bools,
    CommentsLeftOut,
    CrfcleanError,
    Floats,
    Ints,
    Kind,
    Label,
    ModelError,
    Reason,
    Tagger,
    Tags,
)
from crfclean.types.choices import AUTO

COMMENT_REASON = "comment.thread"
"""The reason of blocks inside comments: how probably the page is a thread."""
BESIDE_REASON = "beside.article"
"""The reason of blocks beside an article: how probably the page is one."""
SURE_PREFIX = "sure."
"""The prefix of the reason of blocks that are left out for their kind: "sure.notice"."""
NO_ARTICLE = partial(ArticleVerdict, 0.0, is_article=False)


@dataclass(frozen=True, slots=True)
class BlockFacts:
    """The words (n,) and `CoarseKind`s (n,) of n blocks, the verdict on comments, and the tables.

    `fine` (n,) are the `Kind`s, None where the decision does not depend on them.
    `tables` (n,) are those of `whole_tables.tables`, None for a page without.
    `sure` (n,) are kinds that are left out (see `sure_kinds.left_out`), 0 for other blocks; None
    where the convention does not name what it keeps by coarse kinds. `beside` (n,) are the blocks
    that an article's text does without, `related` (n,) those in boxes named for teasers, None where
    that is no question; `article` is called if any of those beside it would be kept.
    """

    words: Floats
    kinds: Ints
    verdict: ThreadVerdict | None = None
    tables: Ints | None = None
    fine: Ints | None = None
    sure: Ints | None = None
    beside: Bools | None = None
    related: Callable[[], Bools] | None = None
    article: Callable[[], ArticleVerdict] = NO_ARTICLE


def decide(marginals: Floats, best: Ints, facts: BlockFacts, params: CutParams) -> Tags:
    """Tags by the decision rule from marginals (n, 3) and Viterbi's labels (n,).

    Labels and marginals are adapted to `params.keep`. Where the rule "precision" keeps nothing, the
    tags say so. Where the verdict is that the page is no thread, what is inside comments is OTHER
    with certainty before the rule chooses among the other blocks; so is what stands beside an
    article. A likely data table has one probability, so that it is kept as one, but by the rule
    "viterbi", which decides by sequence.
    """
    tags = _without_comments(marginals, best, facts, params)
    verdict, barred = facts.verdict, facts.beside
    if barred is None or not (barred & tags.kept).any():
        return tags
    if (verdict is not None and verdict.is_thread) or not _is_article(facts, tags):
        return tags
    comments = tags.comments_left_out
    others = barred if comments is None else barred | comments.inside
    decided = _decided(*without(marginals, best, others), facts, params)
    return replace(decided, comments_left_out=comments, thread=tags.thread, beside=barred)


def _is_article(facts: BlockFacts, tags: Tags) -> bool:
    """Whether a page with these tags is an article: no page is one that lists other pages."""
    if facts.sure is not None and facts.related is not None:
        unnamed = np.where(facts.related(), 0, facts.sure)
        if is_list_of(Kind.TEASER, unnamed, facts.words, tags.kept):
            return False
    return facts.article().is_article


def _without_comments(marginals: Floats, best: Ints, facts: BlockFacts, params: CutParams) -> Tags:
    """Tags by the rule, without what is inside comments if the page is no thread."""
    tags, verdict = _decided(marginals, best, facts, params), facts.verdict
    if verdict is None:
        return tags
    if verdict.is_thread:
        return replace(tags, thread=verdict.probability)
    inside = verdict.inside
    kept = inside & tags.kept
    comments = CommentsLeftOut(verdict.probability, inside, kept, tags.marginals)
    decided = _decided(*without(marginals, best, inside), facts, params)
    return replace(decided, comments_left_out=comments, thread=verdict.probability)


def without(marginals: Floats, best: Ints, barred: Bools) -> tuple[Floats, Ints]:
    """Marginals (n, 3) and labels (n,), which may be empty, with these blocks OTHER for certain."""
    labels = np.where(barred, Label.OTHER, best).astype(np.int32) if len(best) else best
    return np.where(barred[:, None], CERTAINLY_OTHER, marginals), labels


def _decided(marginals: Floats, best: Ints, facts: BlockFacts, params: CutParams) -> Tags:
    if facts.tables is not None:
        marginals = pool(marginals, facts.words, facts.tables)
    if facts.sure is None or not facts.sure.any():
        return _chosen(marginals, best, facts, params)
    labels = _cut(marginals, best, facts, params).labels
    barred = left_out(facts.sure, facts.words, labels != Label.OTHER)
    decided = _chosen(*without(marginals, best, barred), facts, params)
    return replace(decided, sure=barred)


def _chosen(marginals: Floats, best: Ints, facts: BlockFacts, params: CutParams) -> Tags:
    labels, adapted, score = _cut(marginals, best, facts, params)
    is_refused = params.rule == "precision" and not (labels != Label.OTHER).any()
    return Tags(labels, adapted, score, refusal=BELOW_PRECISION if is_refused else "")


def _cut(marginals: Floats, best: Ints, facts: BlockFacts, params: CutParams) -> Cut:
    """The decision by the rule and the convention."""
    has_choice = bool(params.keep) and len(marginals) > 0
    choice = choice_of(facts.kinds, params.keep, facts.fine) if has_choice else None
    return cut_by_rule(marginals, best, facts.words, choice, params)


def decide_page(page: Measures, marginals: Floats, best: Ints, params: CutParams) -> Tags:
    """Tags of a page's blocks, as in `decide`; raises `ModelError` for a damaged gate."""
    return decide(marginals, best, block_facts(page, marginals, params), params)


def block_facts(page: Measures, marginals: Floats, params: CutParams) -> BlockFacts:
    """What `decide` must know of a page's blocks; raises `ModelError` for a damaged gate."""
    in_tables = tables(page) if len(page) else None
    fine = kinds_of(page) if by_kinds(params.keep) else None
    sure = sure_kinds_of(page) if leaves_out(params.keep) else None  # before it asks for comments
    verdict_on_comments = thread_verdict(page, marginals, params)
    coarse = titles_alone(page) if AUTO in params.keep else coarse_kinds(page)
    facts = BlockFacts(page.words, coarse, verdict_on_comments, in_tables, fine, sure)
    if not len(page) or not asks_for_articles(params.keep):
        return facts
    return replace(
        facts,
        beside=beside(page),
        related=partial(is_named_teaser, page),
        article=partial(article_verdict, page),
    )


def thread_verdict(page: Measures, marginals: Floats, params: CutParams) -> ThreadVerdict | None:
    """The verdict on a page's comments, None where it does not matter; raises `ModelError`."""
    return verdict(page, marginals) if asks_for_threads(params.keep) else None


def page_reasons(
    page: Measures, marginals: Floats, params: CutParams
) -> Mapping[int, list[Reason]]:
    """Block -> why it is kept or left out for its kind: a comment, what stands beside an article.

    Only where a verdict mattered. The value is the probability that the page is a thread, or an
    article; the weight is its log-odds, for a thread, and against the blocks beside an article.
    Value and weight of what is left out on any page (`sure_kinds`) are 0 and -1.
    """
    reasons: dict[int, list[Reason]] = {}
    thread = thread_verdict(page, marginals, params)
    if thread is not None:
        said = _verdict_reason(COMMENT_REASON, thread.probability, 1.0)
        reasons = {block: [said] for block in np.flatnonzero(thread.inside).tolist()}
    tags = decide_each(page, marginals, params)
    if tags.beside is not None:
        said = _verdict_reason(BESIDE_REASON, article_verdict(page).probability, -1.0)
        reasons |= {block: [said] for block in np.flatnonzero(tags.beside).tolist()}
    if tags.sure is not None:
        kinds = kinds_of(page)
        for block in np.flatnonzero(tags.sure).tolist():
            reasons[block] = [Reason(SURE_PREFIX + Kind(kinds[block]).name.lower(), 0.0, -1.0)]
    return reasons


def _verdict_reason(name: str, probability: float, sign: float) -> Reason:
    return Reason(name, probability, sign * float(log_odds(np.asarray(probability))))


def decide_each(page: Measures, marginals: Floats, params: CutParams) -> Tags:
    """Tags from marginals of any origin; the rule "viterbi" takes each block by itself."""
    return decide_page(page, marginals, marginals.argmax(1).astype(np.int32), params)


def fingerprint_of(bundle: Bundle, params: CutParams) -> str:
    """16 hexadecimal digits of a model and its decision rule."""
    networks = [labels_to_bytes(network) for network in bundle.networks.values()]
    parts = {"kind": bundle.kind, "elements": bundle.elements, "cut": params}
    parts |= {PARAMETER: weight} if (weight := bundle.parameters.get(PARAMETER)) else {}
    parts |= {"threads": gate_fingerprint()} if asks_for_threads(params.keep) else {}
    parts |= {"articles": article_fingerprint()} if asks_for_articles(params.keep) else {}
    parts |= {"sure": sure_fingerprint()} if leaves_out(params.keep) else {}
    content = canonical(parts | {"encoder": bundle.encoder})
    return digest(bundle.weights, *(networks or [b""]), content)


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
