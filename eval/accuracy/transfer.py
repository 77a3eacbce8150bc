"""Measure how a recipe transfers: leave one collection out, train on all others.

Run `python -m eval.accuracy.transfer eval/accuracy/experiments/default.json --data DIR`.

A collection is judged under its own convention, and as the shipped model is set, by models that
have seen none of its pages and sites, neither with gold nor with silver labels. `--sets` names some
of the collections; the recorded results of others stay beside them, if the recipe is the same.
"""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from crfclean.nn.network_params import NetworkParams
from crfclean.taggers.crf import CrfTagger, from_bundle
from crfclean.taggers.learned import decide
from crfclean.taggers.params import CutParams
from crfclean.train.crf import fit
from crfclean.train.examples import Example
from crfclean.train.params import TrainParams
from crfclean.types import Floats, Ints
from eval.lib.descriptions import Description, describe, description_parser
from eval.lib.intervals import mean
from eval.lib.predictions import CONVENTIONS, separate
from eval.lib.prepared import (
    Prepared,
    load_carried,
    load_set,
    load_silver,
    model_columns,
    training_example,
)
from eval.lib.record import RESULTS, environment, record
from eval.models.train_default import KEEP

SNIPPETS = "trafilatura-dev"
"""A set without whole texts: the F1 over all its snippets is measured."""
NO_SEQUENCE: Ints = np.zeros(0, np.int32)


def examples_of(
    name: str, pages: Sequence[Prepared], recipe: Description, args: Namespace
) -> list[Example]:
    """What a collection gives to training: silver labels, its gold, or what its pages carry."""
    carried = name in recipe.carried
    if name in recipe.silver:
        return load_silver(name, args.data, args.workers, carried=carried)
    if name in recipe.train:
        return [training_example(page) for page in pages if page.gold.text.strip()]
    return [page for page in load_carried(name, args.data, args.workers) if page]


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
    hits, wrong = (
        sum(" ".join(snippet.lower().split()) in plain for snippet in snippets)
        for snippets in (page.gold.wanted, page.gold.unwanted)
    )
    return hits, len(page.gold.wanted), wrong


def total(scores: Sequence[Any], sites: Sequence[str]) -> list[float]:
    """Mean F1 with its interval by site; of snippets, the F1 over all."""
    if not isinstance(scores[0], tuple):
        return list(mean(list(scores), list(sites)))
    hits, snippets, wrong = np.sum(scores, 0).tolist()
    return [round(2 * hits / max(hits + wrong + snippets, 1), 4)]


def judge(pages: Sequence[Prepared], tagger: CrfTagger) -> dict[str, Any]:
    """Scores of a collection by system and convention."""
    shown = [
        page for page in pages if len(page.example) and (page.gold.text.strip() or page.gold.wanted)
    ]
    sites = [page.gold.site for page in shown]
    columns = [model_columns(page.example, tagger.bundle) for page in shown]
    taggers = {"crfclean": tagger, **separate(tagger)}
    keep = CONVENTIONS.get(pages[0].set, "")
    conventions = {"own": keep.split(",") if keep else [], "shipped": KEEP}
    result: dict[str, Any] = {"pages": len(shown)}
    for system, tagger_alone in taggers.items():
        result[system] = {
            convention: total(
                [
                    scored(page, kept_text(page, tagger_alone, values, keep))
                    for page, values in zip(shown, columns, strict=True)
                ],
                sites,
            )
            for convention, keep in conventions.items()
        }
    return result


def left_out(
    pages: Sequence[Prepared], others: Sequence[Example], recipe: Description
) -> dict[str, Any]:
    """Train without a collection's sites, and judge it."""
    sites = {page.gold.site for page in pages} - {""}
    training = [example for example in others if example.site not in sites]
    params, network = TrainParams(**recipe.params), NetworkParams(**recipe.network)
    bundle = fit(training, params, CutParams(**recipe.cut), network)
    return {"trained_on": len(training), **judge(pages, from_bundle(Path("model"), bundle))}


def earlier(file: Path, recipe: Description) -> dict[str, Any]:
    """The recorded results of the same recipe; none where it has changed."""
    recorded = json.loads(file.read_text("utf-8")) if file.exists() else {}
    described = Description(**recorded.get("description", {}))
    same = json.dumps(asdict(described)) == json.dumps(asdict(recipe))
    return dict(recorded["results"]) if same else {}


def main() -> None:
    parser = description_parser(__doc__)
    parser.add_argument("--sets", nargs="*", help="collections to leave out; all that are tested")
    args = parser.parse_args()
    recipe = describe(args)
    names = dict.fromkeys((*recipe.train, *recipe.silver, *recipe.carried, *recipe.test))
    sets = {name: load_set(name, args.data, args.workers) for name in names}
    training = dict.fromkeys((*recipe.train, *recipe.silver, *recipe.carried))
    examples = {name: examples_of(name, sets[name], recipe, args) for name in training}
    file = f"accuracy/transfer_{args.description.stem}"
    results = earlier(RESULTS / f"{file}.json", recipe)
    for name in args.sets or recipe.test:
        others = [
            example for other, of_set in examples.items() if other != name for example in of_set
        ]
        results[name] = left_out(sets[name], others, recipe)
        print(name, results[name], flush=True)
        record(file, {"description": asdict(recipe), "results": results, **environment()})


if __name__ == "__main__":
    main()
