"""Compare our training of the perceptron with scikit-learn's by out-of-fold F1 on words.

Run `python -m eval.mlp.library --only 0 --data DIR`.

The same units, inputs (scaled), blocks and weights; scikit-learn's MLPClassifier has Adam with a
constant rate, mini-batches of blocks, and weights of samples from 1.7 on. Ends with 77 without it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from crfclean.features.texttractor import with_neighbours
from crfclean.nn.fit import TrainingPage
from crfclean.nn.params import RECIPES, Recipe
from crfclean.nn.scaling import Columns
from crfclean.train.examples import fold_of
from crfclean.train.mlp import perceptron_page
from crfclean.types import Floats
from eval.lib.corpora import SKIPPED, data_parser
from eval.lib.intervals import mean
from eval.lib.mlp_predictions import FOLDS, TRAIN, Scored, learn, load_sets
from eval.lib.prepared import Prepared
from eval.lib.record import environment, record
from eval.mlp.sweep import CUTS

BATCH = 4_096
Way = Callable[[Sequence[Prepared], Recipe], Callable[[Columns], Floats]]
"""Pages and recipe -> inputs (n, k) to scores (n, 1)."""


class Library:
    """MLPClassifier with scaled inputs, given like a `Network` of one score."""

    def __init__(self, lessons: Sequence[TrainingPage], recipe: Recipe) -> None:
        from sklearn.neural_network import MLPClassifier
        from sklearn.preprocessing import StandardScaler

        inputs = np.concatenate([page_lesson.columns for page_lesson in lessons])
        self.scaler = StandardScaler().fit(inputs)
        self.engine = MLPClassifier(
            recipe.units,
            alpha=1e-4,
            batch_size=BATCH,
            learning_rate_init=recipe.learning_rate,
            max_iter=recipe.epochs,
            n_iter_no_change=recipe.epochs,
            random_state=recipe.seed,
        )
        weights = np.concatenate([page_lesson.weights for page_lesson in lessons])
        good = np.concatenate([page_lesson.labels for page_lesson in lessons])
        self.engine.fit(self.scaler.transform(inputs), good, weights / weights.mean())

    def __call__(self, inputs: Columns) -> Floats:
        """Inputs (n, k) -> scores (n, 1)."""
        probabilities: Floats = self.engine.predict_proba(self.scaler.transform(inputs))[:, 1:]
        return probabilities


def by_library(training: Sequence[Prepared], recipe: Recipe) -> Library:
    """The library's network of the pages whose gold is not empty."""
    examples = [page.example for page in training if page.gold.text.strip() and len(page.example)]
    return Library([perceptron_page(page_example, recipe) for page_example in examples], recipe)


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--test", default="wcxb-dev")
    parser.add_argument("--only", nargs="*", type=int, default=range(FOLDS))
    parser.add_argument("--workers", type=int, default=1)
    args = parser.parse_args()
    try:
        import sklearn
    except ImportError:
        sys.stderr.write("skipped: no scikit-learn\n")
        sys.exit(SKIPPED)
    sets = load_sets((*TRAIN, args.test), args.data, args.workers)
    training = [page for name in TRAIN for page in sets[name]]
    recipe = RECIPES["tuned"]
    rows: dict[str, Any] = {}
    ways: dict[str, Way] = {"ours": learn, "scikit-learn": by_library}
    for name, way in ways.items():
        start, scored = time.process_time(), []
        for fold in args.only:
            outside = [page for page in training if fold_of(page.gold.site, FOLDS) != fold]
            network = way(outside, recipe)
            scored += [
                Scored(page, network(with_neighbours(page.example.columns))[:, 0])
                for page in sets[args.test]
                if fold_of(page.gold.site, FOLDS) == fold and len(page.example)
            ]
        rows[name] = {"cpu_s": round(time.process_time() - start)}
        sites = [page.page.gold.site for page in scored]
        for rule, cut in CUTS.items():
            rows[name][rule] = mean([page.page.f1(page.tags(cut).kept) for page in scored], sites)
        print(name, rows[name], flush=True)
    about = {"set": args.test, "folds": list(args.only), "scikit-learn": sklearn.__version__}
    record("mlp/library", {**about, "rows": rows, **environment()})


if __name__ == "__main__":
    main()
