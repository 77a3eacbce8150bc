"""Out-of-fold predictions in a file, so that decisions can be tried without training again."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from crfclean.types import CrfcleanError
from eval.lib.descriptions import Description, description_parser
from eval.lib.predictions import Predicted, load_data, predict
from eval.lib.prepared import Prepared, load_set

_ALONE = "alone "


def predictions_parser(text: str | None) -> ArgumentParser:
    """The arguments of every script that takes a description and keeps its predictions."""
    parser = description_parser(text)
    parser.add_argument("--predictions", type=Path, help="file that keeps the predictions")
    return parser


def predictions(description: Description, args: Namespace) -> list[Predicted]:
    """The predictions of a file, or new ones, which are written to it if one is named."""
    file: Path | None = args.predictions
    if file is not None and file.exists():
        tests = [
            page for name in description.test for page in load_set(name, args.data, args.workers)
        ]
        return load_predictions(file, tests)
    data = load_data(description, args.data, args.workers)
    predicted = predict(description, data, args.workers)
    if file is not None:
        save_predictions(file, predicted)
    return predicted


def save_predictions(path: Path, predicted: Sequence[Predicted]) -> None:
    """Write predictions as a file of arrays over the blocks of all pages; raises `OSError`."""
    alone = predicted[0].alone if predicted else {}
    arrays = {
        "names": names_of([page.page for page in predicted]),
        "sizes": np.array([len(page.marginals) for page in predicted]),
        "folds": np.array([page.fold for page in predicted]),
        "marginals": np.concatenate([page.marginals for page in predicted]),
    }
    arrays |= {
        _ALONE + name: np.concatenate([page.alone[name] for page in predicted]) for name in alone
    }
    with path.open("wb") as file:
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]  # an array is no flag


def load_predictions(path: Path, tests: Sequence[Prepared]) -> list[Predicted]:
    """The predictions of a file; raises `CrfcleanError` unless they are of these pages' blocks."""
    with np.load(path) as file:
        arrays = dict(file)
    names, sizes = arrays.pop("names").tolist(), arrays.pop("sizes")
    by_name = {str(name): page for name, page in zip(names_of(tests), tests, strict=True)}
    ends = np.cumsum(sizes)
    ranges = [slice(end - size, end) for end, size in zip(ends, sizes, strict=True)]
    if len(by_name) != len(names) or any(
        name not in by_name or len(by_name[name].example) != size
        for name, size in zip(names, sizes, strict=True)
    ):
        raise CrfcleanError(f"{path}: predictions of other pages or blocks; remove it")
    alone = {name.removeprefix(_ALONE): arrays[name] for name in arrays if name.startswith(_ALONE)}
    return [
        Predicted(
            by_name[name],
            int(fold),
            arrays["marginals"][blocks],
            {system: values[blocks] for system, values in alone.items()},
        )
        for name, fold, blocks in zip(names, arrays["folds"], ranges, strict=True)
    ]


def names_of(pages: Sequence[Prepared]) -> np.ndarray[tuple[int], np.dtype[np.str_]]:
    """What pages are called in the file, shape (n,); several of one id by their order."""
    seen: dict[str, int] = {}
    names = []
    for page in pages:
        name = f"{page.set}/{page.gold.id}"
        seen[name] = seen.get(name, 0) + 1
        names.append(f"{name} {seen[name]}")
    return np.array(names)
