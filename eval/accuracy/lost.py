"""List the pages whose text is lost, with causes, and measure what each rule of the decision does.

Run `python -m eval.accuracy.lost --data DIR --predictions FOLDER`.

A page is lost where our text has less than `LOW` by the measure of its set and a peer's more than
`HIGH`. Each collection is predicted by a model that has seen none of it. Then each rule is switched
off in turn: the mean of each collection, and the mean of the worst `WORST` of all pages, with and
without it. `--list` prints every lost page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from unittest.mock import patch

import numpy as np

from crfclean.decision import verdict, wholes
from crfclean.decision.evidence import Evidence
from crfclean.decision.sums import best_expected_f
from crfclean.decision.verdict import ASIDE, decide
from crfclean.types import Bools, Label, Rule, Tags
from eval.lib.corpora import corpus
from eval.lib.descriptions import describe
from eval.lib.left_out import LeftOut, left_out_parser
from eval.lib.measure import LINES, SNIPPETS, value
from eval.lib.peer_scores import peer_scores
from eval.lib.predictions import Predicted
from eval.lib.record import environment, record
from eval.models.train_default import AUTO

LOW, HIGH = 0.5, 0.8
WORST = 0.01
SURE = 0.9  # a score above this promises a good text


@dataclass(frozen=True)
class Judged:
    """A page's text: its worth and the best peer's, its score, and why it is lost, if it is."""

    set: str
    page: str
    worth: float
    peer: float
    score: float
    cause: str


def _without(name: str) -> AbstractContextManager[object]:
    left = tuple(pair for pair in verdict.REVISIONS if pair[1].__name__ != name)
    return patch.object(verdict, "REVISIONS", left)


def _without_whole(rule: Rule) -> AbstractContextManager[object]:
    left = tuple(pair for pair in wholes.FINDERS if pair[0] != rule)
    return patch.object(wholes, "FINDERS", left)


OFF: Mapping[str, Callable[[], AbstractContextManager[object]]] = {
    "all rules": nullcontext,
    "without comments": lambda: patch.object(Evidence, "thread", lambda *_: None),
    "without copies": lambda: _without("_copies"),
    "without reviews": lambda: _without("_reviews"),
    "without recall": lambda: patch.object(verdict, "_RECALL", 0.0),
    "without titles": lambda: _without("_title"),
    "without aside": lambda: _without("_aside"),
    **{
        f"without {kind.name.lower()}": (
            lambda kind=kind: patch.object(  # type: ignore[misc]
                verdict, "ASIDE", tuple(other for other in ASIDE if other != kind)
            )
        )
        for kind in ASIDE
    },
    "without the budget": lambda: patch.object(verdict, "least_left", lambda _: 0.0),
    "without ends": lambda: patch.object(verdict, "text_end", lambda *_, **__: None),
    "without lists": lambda: _without_whole(Rule.LIST),
    "without records": lambda: _without_whole(Rule.RECORD),
}
"""Name -> a context in which a rule is off."""


def worth_of(page: Predicted, kept: Bools) -> float | None:
    """The worth of some blocks' text."""
    return value(page.page.set, page.page.gold, page.page.text(kept))


def by_rules(page: Predicted) -> dict[str, float]:
    """The worth of a page's text with each rule off in turn; none for a page without gold."""
    evidence, values = page.page.evidence(), {}
    for name, off in OFF.items():
        with off():
            tags = decide(evidence, page.marginals, AUTO)
        worth = worth_of(page, tags.kept)
        if worth is not None:
            values[name] = worth
    return values


def judged(page: Predicted, peer: float) -> Judged | None:
    """A page as it is decided; None without gold."""
    evidence = page.page.evidence()
    tags = decide(evidence, page.marginals, AUTO)
    worth = worth_of(page, tags.kept)
    if worth is None:
        return None
    lost = worth < LOW and peer > HIGH
    cause = cause_of(page, evidence, tags) if lost else ""
    return Judged(page.page.set, page.page.gold.id, worth, peer, tags.score, cause)


def cause_of(page: Predicted, evidence: Evidence, tags: Tags) -> str:
    """Why a page is lost: a rule, the cut, the ranking, or its gold, the first that fits."""
    gold = page.page.example.labels != Label.OTHER
    if page.page.set in (*LINES, SNIPPETS):
        return "lines"
    if page.page.f1(gold) < HIGH:
        return "gold is not in the blocks"
    probability = 1.0 - page.marginals[:, Label.OTHER]
    alone = best_expected_f(probability, evidence.words)
    if page.page.f1(alone) >= HIGH and tags.rules is not None:
        words = evidence.words * (tags.kept != alone)
        by_rule = np.bincount(tags.rules, words, len(Rule))
        return f"rule: {Rule(int(by_rule.argmax())).name.lower()}"
    wrong = evidence.words * (tags.kept != gold)
    if wrong[evidence.comments].sum() > 0.5 * wrong.sum():
        return "comments"
    order = np.argsort(-probability, kind="stable")
    cuts = [page.page.f1(np.isin(np.arange(len(order)), order[:k])) for k in _steps(len(order))]
    return "cut" if max(cuts) >= HIGH else "ranking"


def _steps(count: int) -> Iterator[int]:
    """Numbers of blocks that a cut may keep, at most forty."""
    return iter(np.unique(np.linspace(1, count, min(count, 40)).astype(int)).tolist())


def rule_table(rows: Mapping[str, Sequence[Mapping[str, float]]]) -> dict[str, dict[str, float]]:
    """Rule off -> the mean of each set, of all sets, and of the worst pages of all."""
    table = {}
    for name in OFF:
        by_set = {of_set: np.array([row[name] for row in pages]) for of_set, pages in rows.items()}
        every = np.sort(np.concatenate(list(by_set.values())))
        means = {of_set: round(float(values.mean()), 4) for of_set, values in by_set.items()}
        worst = float(every[: max(1, round(WORST * len(every)))].mean())
        low = float(np.mean([np.sort(v)[: max(1, len(v) // 20)].mean() for v in by_set.values()]))
        total = round(float(np.mean(list(means.values()))), 4)
        table[name] = means | {
            "mean": total,
            "worst 1 %": round(worst, 4),
            "worst 5 % by set": round(low, 4),
            "below .5": int((every < LOW).sum()),
        }
    return table


def main() -> None:
    parser = left_out_parser(__doc__)
    parser.add_argument("--list", action="store_true", help="print the lost pages")
    args = parser.parse_args()
    left_out = LeftOut(describe(args), args)
    lost, rows, counts = list[Judged](), dict[str, list[dict[str, float]]](), Counter[str]()
    for name in args.sets or left_out.names:
        golds = corpus(name, args.data)
        scores = peer_scores(name, golds, args.workers)
        peers = {
            gold.id: max(scores[peer][at].value for peer in scores) for at, gold in enumerate(golds)
        }
        predicted = left_out.predicted(name)
        pages = [judged(page, peers[page.page.gold.id]) for page in predicted]
        lost += [page for page in pages if page is not None and page.cause]
        counts[name] = len([page for page in pages if page is not None])
        rows[name] = [row for row in map(by_rules, predicted) if row]
        print(name, counts[name], "pages, lost", sum(page.set == name for page in lost), flush=True)
    causes = Counter(page.cause for page in lost)
    sure = sum(page.score > SURE for page in lost)
    print(len(lost), "lost,", sure, "with a score above", SURE, dict(causes.most_common()))
    table = rule_table(rows)
    for name, figures in table.items():
        print(f"{name:20}", *(f"{key} {figure}" for key, figure in figures.items()))
    if args.list:
        for page in lost:
            print(page)
    result = {"pages": counts, "causes": causes, "sure": sure, "rules": table}
    record("accuracy/lost", {**result, "lost": [asdict(page) for page in lost], **environment()})


if __name__ == "__main__":
    main()
