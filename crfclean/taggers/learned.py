"""Code shared by the taggers of all model kinds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from crfclean.decision.evidence import SHIPPED
from crfclean.decision.rules import LISTS, CutParams
from crfclean.decision.sections import SHIPPED as ENDS
from crfclean.features.columns import FIRST_PASS_NAMES
from crfclean.io import canonical, digest
from crfclean.modelfiles.folder import MANIFEST, Bundle, find_model, load_bundle, reading
from crfclean.modelfiles.probe import kinds_fingerprint
from crfclean.nn.files import labels_to_bytes
from crfclean.pagetype.model import PAGE_MODEL
from crfclean.taggers.capabilities import Decides
from crfclean.types import CrfcleanError, ModelError, Tagger

# the weight of the first pass, with whose probabilities those of the CRF are pooled
#
# The networks of the first pass judge each block by itself; the CRF adds the sequence, and what
# they say of neighbours, of elements around the block, and of similar blocks. On kinds of pages
# that are not in the training data, the two make different errors.

PARAMETER = "first_pass"
"""Name of the weight in a manifest's parameters."""


def network_weight(parameters: Mapping[str, Any], names: Sequence[str]) -> float:
    """Return the weight of the networks (0..1), 0 for a model without columns of a network.

    Raises `ModelError` for a weight out of bounds.
    """
    weight = parameters.get(PARAMETER, 0.0)
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight <= 1:
        raise ModelError(f"{PARAMETER} is {weight!r}, but the weight is a number from 0 to 1")
    return float(weight) if set(FIRST_PASS_NAMES) <= set(names) else 0.0


# functions for taggers of every kind of model


def fingerprint_of(bundle: Bundle, params: CutParams) -> str:
    """16 hexadecimal digits of a model and its decision rule; raises `ModelError`."""
    network = b"" if bundle.network is None else labels_to_bytes(bundle.network)
    parts = {"kind": bundle.kind, "elements": bundle.elements, "cut": params}
    parts |= {PARAMETER: weight} if (weight := bundle.parameters.get(PARAMETER)) else {}
    content = canonical(parts | {"encoder": bundle.encoder})
    return digest(bundle.weights, network, content, evidence_fingerprint())


PRESENCE = Path(__file__).parents[1] / "carried" / "weights.json"
"""The weights by which a page that is only a form or a notice is emptied."""


@cache
def evidence_fingerprint() -> str:
    """Return 16 hexadecimal digits of the evidence besides a model; raises `ModelError`.

    All weights that decide what is kept have a part: a run is resumed by the same ones only.
    """
    from crfclean.kinds.model import KIND_MODEL  # most pages need no model of kinds

    with reading(SHIPPED):
        files = [find_model(name) / MANIFEST for name in (PAGE_MODEL, KIND_MODEL)]
        weights = (SHIPPED, ENDS, PRESENCE, *files)
        return digest(*(path.read_bytes() for path in weights), kinds_fingerprint())


def params_of(folder: Path, bundle: Bundle) -> CutParams:
    """The decision rule in a manifest; raises `ModelError`."""
    try:
        values = {**bundle.cut}
        lists = (*LISTS, "names")  # those of JSON
        values |= {name: tuple(values.get(name, ())) for name in lists}
        return CutParams(**values)
    except (TypeError, CrfcleanError) as error:
        raise ModelError(f"{folder}: unknown parameter of the cut: {error}") from error


def reopen(make: Callable[[Path, Bundle], Decides], folder: Path, params: CutParams) -> Tagger:
    """Open the tagger of a folder by `make`, with a decision rule; raises `ModelError`."""
    return make(folder, load_bundle(folder)).with_cut(params)
