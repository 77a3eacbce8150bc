"""Repeat table 5.2 (four training algorithms) and figure 5.1 (26 against 78 inputs) of the thesis.

Run `python -m eval.mlp.algorithms --data DIR`.

Mrózek (2014) trained by FANN on 34 pages, 15,000 epochs and five runs an algorithm; here it is the
same number of pages of a set, with fewer epochs and runs. The algorithms are FANN's, with its
defaults (learning rate 0.7, Quickprop's mu 1.75 and decay -0.0001) on squared error: incremental (a
step a block), batch, iRprop- and Quickprop (a step an epoch). Errors are mean squares in 0..1 over
the training pages, and over as many others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from crfclean.model.inputs import with_neighbours
from crfclean.model.layers import ACTIVATIONS, Layer, Singles, backward, forward
from crfclean.products.teach.network_params import DRAWN, RECIPES
from crfclean.products.teach.optimisers import Adam, Rprop
from crfclean.types import Label
from eval.lib.corpora import data_parser, drawn
from eval.lib.mlp_predictions import load_sets
from eval.lib.plots import shrink
from eval.lib.prepared import Prepared
from eval.lib.record import RESULTS, environment, record

RATE, MU, DECAY, MOVED, MOST = 0.7, 1.75, -0.0001, 0.001, 1500.0
FIRST = ("sigmoid",) * 2, (0.5,) * 2
"""Activations and steepness of table 5.2: FANN's defaults."""
MARKS = (10, 30, 100, 200, 300, 500, 1000, 3000, 15000)
"""Epochs whose errors are recorded."""


@dataclass(frozen=True)
class Blocks:
    """Inputs (n, k) of all blocks of some pages, and whether each is good, (n, 1)."""

    inputs: Singles
    good: Singles


def blocks_of(pages: Sequence[Prepared], *, neighbours: bool) -> Blocks:
    """The blocks of the pages, with the columns of their neighbours or without."""
    columns = [page.example.columns for page in pages]
    inputs = [with_neighbours(part) if neighbours else part for part in columns]
    labels = np.concatenate([page.example.labels for page in pages]) != Label.OTHER
    return Blocks(np.concatenate(inputs).astype(np.float32), labels[:, None].astype(np.float32))


class Network:
    """Weights and biases in turn, drawn near 0, with the activations of their layers."""

    def __init__(
        self,
        sizes: Sequence[int],
        activations: Sequence[str],
        steepness: Sequence[float],
        seed: int,
    ) -> None:
        random = np.random.default_rng(seed)
        self.kinds = list(zip(activations, steepness, strict=True))
        self.values: list[Singles] = []
        for width, following in pairwise(sizes):
            for shape in ((width, following), (following,)):
                self.values.append(random.uniform(-DRAWN, DRAWN, shape).astype(np.float32))

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The layers with their values of now."""
        pairs = zip(self.values[::2], self.values[1::2], strict=True)
        return tuple(Layer(*pair, *kind) for pair, kind in zip(pairs, self.kinds, strict=True))

    def targets(self, good: Singles) -> Singles:
        """1 for good blocks, the output's least value for others."""
        least = np.float32(ACTIVATIONS[self.kinds[-1][0]].least)
        targets: Singles = np.where(good > 0, np.float32(1.0), least)
        return targets

    def error(self, blocks: Blocks) -> float:
        """The mean squared error, of outputs brought to 0..1."""
        span = 1.0 - ACTIVATIONS[self.kinds[-1][0]].least
        missed = forward(blocks.inputs, self.layers)[-1].values - self.targets(blocks.good)
        return float(np.mean(np.square(missed / np.float32(span))))

    def gradients(self, blocks: Blocks) -> list[Singles]:
        """Gradients of the mean of half the squared error, in the order of `values`."""
        passes = forward(blocks.inputs, self.layers)
        last = passes[-1]
        missed = (last.values - self.targets(blocks.good)) / np.float32(len(blocks.good))
        gradients: list[Singles] = []
        for part, by_sums in backward(passes, last.layer.back(last.sums, last.values, missed)):
            gradients = [part.inputs.T @ by_sums, by_sums.sum(0), *gradients]
        return gradients


class Descent:
    """Plain gradient descent."""

    def __init__(self, values: list[Singles]) -> None:
        self.values = values

    def move(self, gradients: Sequence[Singles]) -> None:
        """Take a step against the gradients."""
        for at, gradient in enumerate(gradients):
            self.values[at] -= np.float32(RATE) * gradient


class Quickprop:
    """Fahlman's Quickprop as FANN has it, on gradients of the mean error."""

    def __init__(self, values: list[Singles]) -> None:
        self.values = values
        self.steps = [np.zeros_like(value) for value in values]
        self.slopes = [np.zeros_like(value) for value in values]

    def move(self, gradients: Sequence[Singles]) -> None:
        """Take a step to the bottom of a parabola through this slope and the last one."""
        shrunk = MU / (1.0 + MU)
        for at, gradient in enumerate(gradients):
            slope, value = DECAY * self.values[at] - gradient, self.values[at]
            step, before = self.steps[at], self.slopes[at]
            sign = np.where(step > MOVED, 1.0, np.where(step < -MOVED, -1.0, 0.0))
            downhill = (sign == 0) | (slope * sign > 0)
            far = slope * sign > shrunk * before * sign
            with np.errstate(divide="ignore", invalid="ignore"):
                leap = np.where(far, MU * step, step * slope / (before - slope))
            moved = RATE * np.where(downhill, slope, 0.0) + np.where(sign == 0, 0.0, leap)
            self.steps[at] = np.nan_to_num(moved).astype(np.float32)
            self.slopes[at] = slope.astype(np.float32)
            value += self.steps[at]
            np.clip(value, -MOST, MOST, out=value)


EPOCH_STEPS: dict[str, Any] = {"batch": Descent, "rprop": Rprop, "quickprop": Quickprop}
"""Algorithms that take a step an epoch -> their optimisers."""


def by_epochs(
    network: Network, blocks: Blocks, optimiser: Adam | Rprop, epochs: int
) -> Iterator[float]:
    """The error after each epoch of a step."""
    for _ in range(epochs):
        optimiser.move(network.gradients(blocks))
        yield network.error(blocks)


def by_blocks(network: Network, blocks: Blocks, epochs: int) -> Iterator[float]:
    """The error after each epoch of a step a block: two sigmoid layers, written out for speed."""
    inward, bias, outward, last = network.values
    steep = np.float32(2.0 * network.kinds[0][1])
    rows = list(zip(blocks.inputs, blocks.good[:, 0].tolist(), strict=True))
    for _ in range(epochs):
        for row, target in rows:
            hidden = 1.0 / (1.0 + np.exp(-steep * (row @ inward + bias)))
            output = 1.0 / (1.0 + np.exp(-steep * (hidden @ outward[:, 0] + last[0])))
            error = RATE * steep * (output - target) * output * (1.0 - output)
            back = (error * steep) * outward[:, 0] * hidden * (1.0 - hidden)
            outward[:, 0] -= error * hidden
            last -= error
            inward -= np.outer(row, back)
            bias -= back
        yield network.error(blocks)


def table(learned: Blocks, other: Blocks, epochs: int, runs: int) -> dict[str, Any]:
    """Algorithm -> the least error of some runs, by epochs, and that on other pages at the end."""
    figures = {}
    for name in ("incremental", *EPOCH_STEPS):
        trained = []
        for seed in range(1, runs + 1):
            network = Network((learned.inputs.shape[1], 13, 1), *FIRST, seed)
            if name in EPOCH_STEPS:
                steps = by_epochs(network, learned, EPOCH_STEPS[name](network.values), epochs)
            else:
                steps = by_blocks(network, learned, epochs)
            errors = list(steps)
            trained.append((errors[-1], network.error(other), errors))
        least = min(trained, key=lambda run: run[0])
        marks = {mark: round(least[2][mark - 1], 5) for mark in MARKS if mark <= epochs}
        figures[name] = {"error": round(least[0], 5), "others": round(least[1], 5), "by": marks}
        print(name, figures[name], flush=True)
    return figures


def curves(pages: Sequence[Prepared], others: Sequence[Prepared], epochs: int) -> dict[str, Any]:
    """Number of inputs -> errors by epoch of the final setting, by iRprop-."""
    recipe, figures = RECIPES["paper"], {}
    for units, neighbours in (((13, 7, 4), False), (recipe.units, True)):
        learned = blocks_of(pages, neighbours=neighbours)
        sizes = (learned.inputs.shape[1], *units, 1)
        network = Network(sizes, recipe.activations, recipe.steepness, recipe.seed)
        errors = list(by_epochs(network, learned, Rprop(network.values), epochs))
        held = network.error(blocks_of(others, neighbours=neighbours))
        marks = {mark: round(errors[mark - 1], 5) for mark in MARKS if mark <= epochs}
        figures[f"{sizes[0]} inputs"] = {"errors": errors, "others": round(held, 5), "by": marks}
        print(sizes, marks, "other pages", held, flush=True)
    return figures


def draw(figures: dict[str, Any], path: Path) -> None:
    """Training error by epoch, a line a number of inputs."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.4, 3.2), layout="constrained")
    axes = figure.subplots()
    for name, colour in zip(figures, ("#d55e00", "#0072b2"), strict=True):
        axes.plot(figures[name]["errors"], color=colour, label=name)
    axes.set(xlabel="epoch", ylabel="training error", yscale="log")
    axes.grid(color="0.5", alpha=0.2)
    axes.legend(frameon=False)
    figure.savefig(path, dpi=110, format="png", metadata={"Software": None})
    shrink(path)


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--set", default="irdata-big9")
    parser.add_argument("--pages", type=int, default=34)
    parser.add_argument("--epochs", type=int, default=300)
    parser.add_argument("--curve-epochs", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    prepared = {page.gold.id: page for page in load_sets((args.set,), args.data, 1)[args.set]}
    order = drawn([page.gold for page in prepared.values() if len(page.example)], 2 * args.pages)
    pages = [prepared[gold.id] for gold in order]
    parts = pages[: args.pages], pages[args.pages :]
    learned, other = (blocks_of(part, neighbours=False) for part in parts)
    figures = table(learned, other, args.epochs, args.runs)
    lines = curves(*parts, args.curve_epochs)
    draw(lines, RESULTS / "mlp" / "inputs.png")
    for line in lines.values():
        del line["errors"]
    size = {"set": args.set, "pages": args.pages, "blocks": len(learned.good)}
    about = {**size, "epochs": args.epochs, "runs": args.runs, "curve epochs": args.curve_epochs}
    record("mlp/algorithms", {**about, "table": figures, "inputs": lines, **environment()})


if __name__ == "__main__":
    main()
