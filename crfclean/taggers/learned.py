"""What taggers of every kind of model have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np

from crfclean.features.block_kinds import kinds_of
from crfclean.features.kinds import coarse_kinds, titles_alone
from crfclean.features.zones import is_named_teaser
from crfclean.io import canonical, digest
from crfclean.modelfiles.folder import Bundle, load_bundle
from crfclean.nn.files import labels_to_bytes
from crfclean.page.arrays import among
from crfclean.page.measures import Measures
from crfclean.taggers.articles import (
    ArticleVerdict,
    article_fingerprint,
    article_verdict,
    beside,
)
from crfclean.taggers.capabilities import Decides
from crfclean.taggers.named_kinds import SIDES, excluded, kinds_named, lifted, raised
from crfclean.taggers.page_rule import RuleInputs, choice_by_name, decided, for_core
from crfclean.taggers.params import (
    LISTS,
    CutParams,
    asks_for_articles,
    asks_for_comments,
    asks_for_threads,
    by_kinds,
)
from crfclean.taggers.pooling import PARAMETER
from crfclean.taggers.sure_kinds import (
    is_list_of,
    leaves_out,
    sure_fingerprint,
    sure_kinds_of,
)
from crfclean.taggers.threads import ThreadVerdict, gate_fingerprint, verdict
from crfclean.taggers.whole_tables import tables
from crfclean.types import (
    Bools,
    CommentsLeftOut,
    CrfcleanError,
    Floats,
    Ints,
    Kind,
    ModelError,
    Tagger,
    Tags,
)
from crfclean.types.choices import AUTO
from crfclean.types.light import dataclass, replace

_TEASER = int(Kind.TEASER)
NO_ARTICLE = partial(ArticleVerdict, 0.0, is_article=False)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class BlockFacts:
    """The words (n,) and `CoarseKind`s (n,) of n blocks, the verdict on comments, and the tables.

    `also` and `without` (n,) are the blocks of kinds that are asked for or left out by name, None
    for none; `sides` (n,) those of `also` that are of `named_kinds.SIDES`.

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
    also: Bools | None = None
    sides: Bools | None = None
    without: Bools | None = None


def decide(marginals: Floats, best: Ints, facts: BlockFacts, params: CutParams) -> Tags:
    """Tags by the decision rule from marginals (n, 3) and Viterbi's labels (n,).

    Labels and marginals are adapted to `params.keep`. Where the rule "precision" keeps nothing, the
    tags say so. Where the verdict is that the page is no thread, what is inside comments is OTHER
    with certainty before the rule chooses among the other blocks; so is what stands beside an
    article. A likely data table has one probability, so that it is kept as one, but by the rule
    "viterbi", which decides by sequence.
    """
    inputs = _rule_inputs(facts, params)
    if facts.also is None:
        return _decided_page(marginals, best, facts, inputs)
    marginals = raised(marginals, facts.also)
    tags = _decided_page(marginals, best, facts, inputs)
    higher = None if facts.sides is None else lifted(marginals, facts.sides, tags.kept)
    return tags if higher is None else _decided_page(higher, best, facts, inputs)


def _rule_inputs(facts: BlockFacts, params: CutParams) -> RuleInputs:
    """What the rule reads of blocks beside their probabilities."""
    choice = choice_by_name(facts.kinds, facts.fine, params, facts.also, facts.without)
    inputs = RuleInputs(params, facts.words, choice, facts.tables, facts.sure, facts.without)
    return for_core(inputs)


def _decided_page(marginals: Floats, best: Ints, facts: BlockFacts, inputs: RuleInputs) -> Tags:
    """Tags by the rule, without what is inside comments, or beside an article."""
    tags = _without_comments(marginals, best, facts, inputs)
    verdict, barred = facts.verdict, facts.beside
    if barred is None or not (barred & tags.kept).any():
        return tags
    if (verdict is not None and verdict.is_thread) or not _is_article(facts, tags):
        return tags
    comments = tags.comments_left_out
    others = barred if comments is None else barred | comments.inside
    tags_of_article = decided(marginals, best, inputs, others)
    return replace(tags_of_article, comments_left_out=comments, thread=tags.thread, beside=barred)


def _is_article(facts: BlockFacts, tags: Tags) -> bool:
    """Whether a page with these tags is an article: no page is one that lists other pages.

    Of the teasers those count that no class names; where none is kept, nobody asks for names.
    """
    if facts.sure is None or facts.related is None:
        return facts.article().is_article
    if ((facts.sure == _TEASER) & tags.kept).any():
        unnamed = np.where(facts.related(), 0, facts.sure)
        if is_list_of(Kind.TEASER, unnamed, facts.words, tags.kept):
            return False
    return facts.article().is_article


def _without_comments(marginals: Floats, best: Ints, facts: BlockFacts, inputs: RuleInputs) -> Tags:
    """Tags by the rule, without what is inside comments if the page is no thread."""
    tags, verdict = decided(marginals, best, inputs), facts.verdict
    if verdict is None:
        return tags
    if verdict.is_thread:
        return replace(tags, thread=verdict.probability)
    inside = verdict.inside
    kept = inside & tags.kept
    comments = CommentsLeftOut(verdict.probability, inside, kept, tags.marginals)
    tags_of_page = decided(marginals, best, inputs, inside)
    return replace(tags_of_page, comments_left_out=comments, thread=verdict.probability)


def decide_page(page: Measures, marginals: Floats, best: Ints, params: CutParams) -> Tags:
    """Tags of a page's blocks, as in `decide`; raises `ModelError` for a damaged gate."""
    return decide(marginals, best, block_facts(page, marginals, params), params)


def block_facts(page: Measures, marginals: Floats, params: CutParams) -> BlockFacts:
    """What `decide` must know of a page's blocks; raises `ModelError` for a damaged gate."""
    in_tables = tables(page) if len(page) else None
    fine = kinds_of(page) if by_kinds(params.keep) else None
    sure = sure_kinds_of(page) if leaves_out(params.keep) else None  # before it asks for comments
    said = thread_verdict(page, marginals, params)
    coarse = titles_alone(page) if AUTO in params.keep else coarse_kinds(page)
    facts = BlockFacts(page.words, coarse, said, in_tables, fine, sure, *_gate(page, params))
    named = len(page) and (params.also or params.without)
    return with_named(facts, kinds_of(page), params) if named else facts


def _gate(
    page: Measures, params: CutParams
) -> tuple[Bools | None, Callable[[], Bools] | None, Callable[[], ArticleVerdict]]:
    """What stands beside an article on a page, which of it a class names, and the verdict."""
    if not (len(page) and asks_for_articles(params.keep)):
        return None, None, NO_ARTICLE
    return beside(page), partial(is_named_teaser, page), partial(article_verdict, page)


def with_named(facts: BlockFacts, kinds: Ints, params: CutParams) -> BlockFacts:
    """The facts with what `also` and `without` name among blocks of these `Kind`s (n,)."""
    if params.also:
        also = among(kinds, kinds_named(params.also))
        facts = replace(
            facts,
            also=also,
            sides=also & among(kinds, SIDES),
            sure=None if facts.sure is None else np.where(also, 0, facts.sure),
            beside=None if facts.beside is None else facts.beside & ~also,
            verdict=None if asks_for_comments(params.also) else facts.verdict,
        )
    if params.without:
        facts = replace(facts, without=excluded(kinds, facts.kinds, params.without))
    return facts


def thread_verdict(page: Measures, marginals: Floats, params: CutParams) -> ThreadVerdict | None:
    """The verdict on a page's comments, None where it does not matter; raises `ModelError`."""
    asks = asks_for_threads(params.keep) and not asks_for_comments(params.also)
    return verdict(page, marginals) if asks else None


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
        values |= {name: tuple(values.get(name, ())) for name in LISTS}  # JSON has lists
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
