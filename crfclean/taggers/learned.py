"""What taggers of every kind of model have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from crfclean.features.kinds import kinds
from crfclean.io import canonical, digest
from crfclean.modelfiles.folder import Bundle, load_bundle
from crfclean.nn.files import labels_to_bytes
from crfclean.page.measures import Measures
from crfclean.taggers.capabilities import Decides
from crfclean.taggers.decision import (
    BELOW_PRECISION,
    by_convention,
    cut,
    expected_f1,
    labels_by_convention,
)
from crfclean.taggers.params import CutParams
from crfclean.types import CrfcleanError, Floats, Ints, Label, ModelError, Tagger, Tags


def decide(marginals: Floats, best: Ints, words: Floats, kinds: Ints, params: CutParams) -> Tags:
    """Tags by the decision rule from marginals (n, 3) and Viterbi's labels (n,).

    `words` (n,) and `kinds` (n,) are the blocks'; labels and marginals are adapted to
    `params.keep`. Where the rule "precision" keeps nothing, the tags say so.
    """
    adapted = by_convention(marginals, kinds, params.keep)
    chosen = best if params.rule == "viterbi" else cut(adapted, words, params)
    labels = labels_by_convention(chosen, kinds, params.keep)
    kept = labels != Label.OTHER
    probability = 1.0 - adapted[:, Label.OTHER]
    is_refused = params.rule == "precision" and not kept.any()
    score = expected_f1(probability, words, kept)
    return Tags(labels, adapted, score, refusal=BELOW_PRECISION if is_refused else "")


def decide_page(page: Measures, marginals: Floats, best: Ints, params: CutParams) -> Tags:
    """Tags of a page's blocks, as in `decide`."""
    return decide(marginals, best, page.words, kinds(page), params)


def decide_each(page: Measures, marginals: Floats, params: CutParams) -> Tags:
    """Tags from marginals of any origin; the rule "viterbi" takes each block by itself."""
    return decide_page(page, marginals, marginals.argmax(1).astype(np.int32), params)


def fingerprint_of(bundle: Bundle, params: CutParams) -> str:
    """16 hexadecimal digits of a model and its decision rule."""
    network = b"" if bundle.network is None else labels_to_bytes(bundle.network)
    parts = {"kind": bundle.kind, "elements": bundle.elements, "cut": params}
    return digest(bundle.weights, network, canonical(parts | {"encoder": bundle.encoder}))


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
