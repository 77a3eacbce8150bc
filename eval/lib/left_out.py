"""Predictions of each collection by a model that has seen none of its pages and sites.

Neither with gold nor with silver labels; that model is the shipped recipe trained on all other
collections. `--predictions` names a folder that keeps them: training takes minutes a collection.
`python -m eval.lib.left_out --data DIR --predictions FOLDER` makes those that are not there.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path

from crfclean.products.teach.network_params import NetworkParams
from crfclean.products.teach.train import Example, TrainParams, fit
from crfclean.systems.crf import CrfTagger, from_bundle
from eval.lib.descriptions import Description, describe, description_parser
from eval.lib.predictions import Predicted, separate
from eval.lib.prepared import Prepared, examples_of, load_set, model_columns
from eval.lib.saved_predictions import load_predictions, save_predictions

MEASURED = ("srcgold-dev", "sphinxdocs-dev", "mdsites-dev", "ota-dev", "govmeet-dev")
"""Collections that no recipe learns from; one model, without the sites of all, predicts them."""


class LeftOut:
    """The predictions of all collections by a recipe, each computed when it is first asked for."""

    def __init__(self, recipe: Description, args: Namespace) -> None:
        self.recipe, self.args = recipe, args

    @property
    def names(self) -> tuple[str, ...]:
        """All collections: those that the recipe learns from or tests on, and `MEASURED`."""
        recipe = self.recipe
        learned = (*recipe.train, *recipe.lines, *recipe.silver, *recipe.test)
        return tuple(dict.fromkeys((*learned, *MEASURED)))

    def predicted(self, name: str) -> list[Predicted]:
        """The predictions of a collection's pages, those without blocks left out."""
        pages = [page for page in load_set(name, self.args.data, self.args.workers) if page.texts]
        folder: Path | None = self.args.predictions
        file = None if folder is None else folder / f"{name}.npz"
        if file is not None and file.exists():
            return load_predictions(file, pages)
        measured = name in MEASURED
        predicted = predict(pages, self._of_measured if measured else self.tagger(name, pages))
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            save_predictions(file, predicted)
        return predicted

    def tagger(self, left: str, pages: Iterable[Prepared]) -> CrfTagger:
        """A model trained without a collection and without the sites of some pages."""
        sites = {page.gold.site for page in pages} - {""}
        training = [
            example
            for name, of_set in self._examples.items()
            for example in of_set
            if name != left and example.site not in sites
        ]
        params, network = TrainParams(**self.recipe.params), NetworkParams(**self.recipe.network)
        return from_bundle(Path("model"), fit(training, params, network=network))

    @cached_property
    def _of_measured(self) -> CrfTagger:
        data, workers = self.args.data, self.args.workers
        pages = chain.from_iterable(load_set(name, data, workers) for name in MEASURED)
        return self.tagger("", pages)

    @cached_property
    def _examples(self) -> Mapping[str, Sequence[Example]]:
        names = (*self.recipe.train, *self.recipe.lines, *self.recipe.silver)
        data, workers = self.args.data, self.args.workers
        return {name: examples_of(name, self.recipe, data, workers) for name in names}


def predict(pages: Sequence[Prepared], tagger: CrfTagger) -> list[Predicted]:
    """The predictions of some pages by a model."""
    predicted = []
    for page in pages:
        columns = model_columns(page.example, tagger.bundle)
        marginals = tagger.predict(columns)
        alone = {name: one.predict(columns) for name, one in separate(tagger).items()}
        predicted.append(Predicted(page, 0, marginals, alone))
    return predicted


def left_out_parser(text: str | None) -> ArgumentParser:
    """The arguments of scripts that leave collections out."""
    parser = description_parser(text)
    parser.add_argument("--predictions", type=Path, help="folder that keeps the predictions")
    parser.add_argument("--sets", nargs="*", help="some of the collections")
    return parser


def main() -> None:
    args = left_out_parser(__doc__).parse_args()
    left_out = LeftOut(describe(args), args)
    for name in args.sets or left_out.names:
        print(name, len(left_out.predicted(name)), flush=True)


if __name__ == "__main__":
    main()
