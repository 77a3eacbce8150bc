"""Measure how a recipe transfers: leave one collection out, train on all others.

Run `python -m eval.accuracy.transfer eval/accuracy/experiments/default.json --data DIR`.

A collection is judged under its own convention, and as the shipped model is set, by models that
have seen none of its pages and sites, neither with gold nor with silver labels. `--sets` names some
of the collections. `--prepared FOLDER` keeps the prepared pages of this version for the next run.
"""

from __future__ import annotations

import pickle
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from crfclean.features.columns import columns_of_table
from crfclean.features.table import FEATURES
from crfclean.gold.pages import GoldPage
from crfclean.modelfiles.folder import Bundle
from crfclean.nn.network_params import NetworkParams
from crfclean.parallel import map_in_order
from crfclean.taggers.crf import CrfTagger, from_bundle
from crfclean.taggers.learned import decide
from crfclean.taggers.params import CutParams
from crfclean.taggers.pooling import PARAMETER
from crfclean.train.crf import fit
from crfclean.train.examples import Example
from crfclean.train.params import TrainParams
from crfclean.types import Floats, Ints
from eval.lib.corpora import corpus
from eval.lib.descriptions import Description, describe, description_parser
from eval.lib.intervals import mean
from eval.lib.predictions import CONVENTIONS
from eval.lib.prepared import Prepared, prepare, silver_labels, training_example
from eval.lib.record import environment, record
from eval.lib.silver import votes
from eval.models.train_default import KEEP

SYSTEMS = {"CRF": 0.0, "first pass": 1.0}
"""System -> the weight of the first pass; the model itself has that of its parameters."""
SNIPPETS = "trafilatura-dev"
"""A set without whole texts: the F1 over all its snippets is measured."""
NO_SEQUENCE: Ints = np.zeros(0, np.int32)

Given = tuple[Prepared, Ints | None]
"""A page, with the number of peers that keep each block where its set gives silver labels."""


def _prepare(gold: GoldPage, shared: tuple[str, bool]) -> Given:
    name, is_silver = shared
    page = prepare(gold, name)
    return page, votes(gold) if is_silver and len(page.example) else None


def load(name: str, recipe: Description, args: Namespace) -> list[Given]:
    """A collection's pages, with the votes of the peers if it gives silver labels."""
    kept = Path(args.prepared) / f"{name}.pickle" if args.prepared else None
    if kept and kept.exists():
        given: list[Given] = pickle.loads(kept.read_bytes())  # noqa: S301 - of an earlier run
        return given
    shared = name, name in recipe.silver
    given = list(map_in_order(_prepare, corpus(name, args.data), shared, args.workers))
    if kept:
        kept.write_bytes(pickle.dumps(given))
    return given


def example_of(page: Prepared, count: Ints | None) -> Example | None:
    """What a page gives to training: silver labels where it has votes, else its gold."""
    if count is not None:
        return silver_labels(page, count)
    return training_example(page) if page.gold.text.strip() else None


def weighted(tagger: CrfTagger, weight: float) -> CrfTagger:
    """The tagger with another weight of its first pass."""
    parameters = {**tagger.bundle.parameters, PARAMETER: weight}
    return replace(tagger, bundle=replace(tagger.bundle, parameters=parameters))


def columns_of(page: Prepared, bundle: Bundle) -> Floats:
    """The model's columns of a page."""
    example = page.example
    names = bundle.encoder.names
    return columns_of_table(example.columns, tuple(FEATURES), example.frame, names, bundle.network)


def kept_text(page: Prepared, tagger: CrfTagger, columns: Floats, keep: Sequence[str]) -> str:
    """The page's text by a tagger and a convention."""
    marginals = tagger.predict(columns)[0]
    params = replace(tagger.cut, keep=tuple(keep))
    facts = page.facts(marginals, params)
    return page.text(decide(marginals, NO_SEQUENCE, facts, params).kept)


def scored(page: Prepared, text: str) -> float | tuple[int, int, int]:
    """F1 of the text; of a set of snippets those found, those wanted, and those that are wrong."""
    if page.set != SNIPPETS:
        return page.f1_of(text)
    plain = " ".join(text.lower().split())
    found, wrong = (
        sum(" ".join(snippet.lower().split()) in plain for snippet in snippets)
        for snippets in (page.gold.wanted, page.gold.unwanted)
    )
    return found, len(page.gold.wanted), wrong


def total(scores: Sequence[Any], sites: Sequence[str]) -> list[float]:
    """Mean F1 with its interval by site; of snippets, the F1 over all."""
    if not isinstance(scores[0], tuple):
        return list(mean(list(scores), list(sites)))
    found, wanted, wrong = np.sum(scores, 0).tolist()
    return [round(2 * found / max(found + wrong + wanted, 1), 4)]


def judge(pages: Sequence[Prepared], tagger: CrfTagger) -> dict[str, Any]:
    """Scores of a collection by system and convention."""
    shown = [
        page for page in pages if len(page.example) and (page.gold.text.strip() or page.gold.wanted)
    ]
    sites = [page.gold.site for page in shown]
    columns = [columns_of(page, tagger.bundle) for page in shown]
    taggers = {"pool": tagger}
    taggers |= {name: weighted(tagger, weight) for name, weight in SYSTEMS.items()}
    own = CONVENTIONS.get(pages[0].set, "")
    conventions = {"own": own.split(",") if own else [], "shipped": KEEP}
    result: dict[str, Any] = {"pages": len(shown)}
    for system, one in taggers.items():
        result[system] = {
            convention: total(
                [
                    scored(page, kept_text(page, one, values, keep))
                    for page, values in zip(shown, columns, strict=True)
                ],
                sites,
            )
            for convention, keep in conventions.items()
        }
    return result


def left_out(name: str, given: Mapping[str, Sequence[Given]], recipe: Description) -> Any:
    """Train without a collection and its sites, and judge it."""
    pages = [page for page, _ in given[name]]
    sites = {page.gold.site for page in pages} - {""}
    others = [other for other in (*recipe.train, *recipe.silver) if other != name]
    made = [example_of(page, count) for other in others for page, count in given[other]]
    training = [one for one in made if one is not None and one.site not in sites]
    params, network = TrainParams(**recipe.params), NetworkParams(**recipe.network)
    bundle = fit(training, params, CutParams(**recipe.cut), network)
    return {"trained_on": len(training), **judge(pages, from_bundle(Path(name), bundle))}


def main() -> None:
    parser = description_parser(__doc__)
    parser.add_argument("--sets", nargs="*", help="collections to leave out; all that are tested")
    parser.add_argument("--prepared", help="folder of prepared pages")
    args = parser.parse_args()
    recipe = describe(args)
    names = dict.fromkeys((*recipe.train, *recipe.silver, *recipe.test))
    given = {name: load(name, recipe, args) for name in names}
    results = {}
    for name in args.sets or recipe.test:
        results[name] = left_out(name, given, recipe)
        print(name, results[name], flush=True)
    result = {"description": asdict(recipe), "results": results, **environment()}
    record(f"accuracy/transfer_{args.description.stem}", result)


if __name__ == "__main__":
    main()
