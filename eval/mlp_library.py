"""Our training of the perceptron beside scikit-learn's: out-of-fold F1 on words.

The same units, inputs (scaled), blocks and weights; scikit-learn's MLPClassifier has Adam with a
constant rate, mini-batches of blocks, and weights of samples from 1.7 on. Ends with 77 without it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from corpora import SKIPPED, parser
from experiment import mean
from mlp_predictions import FOLDS, TRAIN, Scored, learn, load_sets
from mlp_sweep import CUTS
from prepared import Prepared
from record import environment, record

from crfclean.examples import fold_of
from crfclean.features.texttractor import with_neighbours
from crfclean.nn.fit import Lesson
from crfclean.nn.params import PRESETS, Recipe
from crfclean.nn.scaling import Columns
from crfclean.train_mlp import lesson
from crfclean.types import Floats

BATCH = 4_096
Way = Callable[[Sequence[Prepared], Recipe], Callable[[Columns], Floats]]
"""Pages and recipe -> inputs (n, k) to scores (n, 1)."""


class Library:
    """MLPClassifier with scaled inputs, given like a `Network` of one score."""

    def __init__(self, lessons: Sequence[Lesson], recipe: Recipe) -> None:
        from sklearn.neural_network import MLPClassifier
        from sklearn.preprocessing import StandardScaler

        inputs = np.concatenate([one.columns for one in lessons])
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
        weights = np.concatenate([one.weights for one in lessons])
        good = np.concatenate([one.labels for one in lessons])
        self.engine.fit(self.scaler.transform(inputs), good, weights / weights.mean())

    def __call__(self, inputs: Columns) -> Floats:
        """Inputs (n, k) -> scores (n, 1)."""
        found: Floats = self.engine.predict_proba(self.scaler.transform(inputs))[:, 1:]
        return found


def by_library(training: Sequence[Prepared], recipe: Recipe) -> Library:
    """The library's network of the pages whose gold is not empty."""
    told = [one.example for one in training if one.gold.text.strip() and len(one.example)]
    return Library([lesson(one, recipe) for one in told], recipe)


def main() -> None:
    args = parser(__doc__)
    args.add_argument("--test", default="wcxb-dev")
    args.add_argument("--only", nargs="*", type=int, default=range(FOLDS))
    args.add_argument("--workers", type=int, default=1)
    given = args.parse_args()
    try:
        import sklearn
    except ImportError:
        sys.stderr.write("skipped: no scikit-learn\n")
        sys.exit(SKIPPED)
    sets = load_sets((*TRAIN, given.test), given.data, given.workers)
    training = [page for name in TRAIN for page in sets[name]]
    recipe = PRESETS["tuned"]
    rows: dict[str, Any] = {}
    ways: dict[str, Way] = {"ours": learn, "scikit-learn": by_library}
    for name, way in ways.items():
        start, found = time.process_time(), []
        for fold in given.only:
            outside = [one for one in training if fold_of(one.gold.site, FOLDS) != fold]
            network = way(outside, recipe)
            found += [
                Scored(page, network(with_neighbours(page.example.columns))[:, 0])
                for page in sets[given.test]
                if fold_of(page.gold.site, FOLDS) == fold and len(page.example)
            ]
        seconds, sites = round(time.process_time() - start), [one.page.gold.site for one in found]
        f1 = {
            rule: [one.page.f1(one.tags(cut).kept) for one in found] for rule, cut in CUTS.items()
        }
        rows[name] = {"cpu_s": seconds, **{rule: mean(one, sites) for rule, one in f1.items()}}
        print(name, rows[name], flush=True)
    about = {"set": given.test, "folds": list(given.only), "scikit-learn": sklearn.__version__}
    record("mlp_library", {**about, "rows": rows, **environment()})


if __name__ == "__main__":
    main()
