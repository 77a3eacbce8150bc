"""What taggers of every kind of model share: the folder, the decision, the fingerprint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Self

from crfclean.decision.ends import SHIPPED_ENDS as ENDS
from crfclean.decision.evidence import DECISION_WEIGHTS, Evidence
from crfclean.decision.rules import KIND_LISTS, CutParams
from crfclean.decision.verdict import decide
from crfclean.io import canonical, digest
from crfclean.model.feature_prints import fingerprints, fingerprints_of
from crfclean.model.first_pass import FIRST_PASS_NAMES, added_names
from crfclean.model.folder import MANIFEST, Bundle, find_model, load_bundle, reading
from crfclean.model.network_files import labels_to_bytes
from crfclean.model.pagetype import PAGE_MODEL
from crfclean.types import (
    Blocks,
    CrfcleanError,
    Floats,
    ModelError,
    Tags,
)

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
    if added := added_names(bundle.encoder.names):
        parts["packages"] = fingerprints_of(added)
    content = canonical(parts | {"encoder": bundle.encoder})
    return digest(bundle.weights, network, content, evidence_fingerprint())


PRESENCE = Path(__file__).with_name("weights.json")
"""The weights by which a page that is only a form or a notice is emptied."""


@cache
def evidence_fingerprint() -> str:
    """Return 16 hexadecimal digits of the evidence besides a model; raises `ModelError`.

    All weights that decide what is kept have a part: a run is resumed by the same ones only.
    """
    from crfclean.model.kind_model import KIND_MODEL  # most pages need no model of kinds

    with reading(DECISION_WEIGHTS):
        files = [find_model(name) / MANIFEST for name in (PAGE_MODEL, KIND_MODEL)]
        weights = (DECISION_WEIGHTS, ENDS, PRESENCE, *files)
        return digest(*(path.read_bytes() for path in weights), *fingerprints("kinds").values())


def params_of(folder: Path, bundle: Bundle) -> CutParams:
    """The decision rule in a manifest; raises `ModelError`."""
    try:
        values = {**bundle.cut}
        lists = (*KIND_LISTS, "names")  # those of JSON
        values |= {name: tuple(values.get(name, ())) for name in lists}
        return CutParams(**values)
    except (TypeError, CrfcleanError) as error:
        raise ModelError(f"{folder}: unknown parameter of the cut: {error}") from error


@dataclass(frozen=True)
class OpenModel:
    """A model folder, its decision rule and its content; a pickle has only the first two."""

    folder: Path
    cut: CutParams
    bundle: Bundle = field(repr=False, compare=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopened, (type(self), self.folder, self.cut)

    @property
    def name(self) -> str:
        """The model's kind."""
        return self.bundle.kind

    @property
    def elements(self) -> tuple[str, ...]:
        """The elements that the model's blocks are restricted to; empty: no restriction."""
        return self.bundle.elements

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits of the model and its decision rule."""
        return fingerprint_of(self.bundle, self.cut)

    @cached_property
    def automatic(self) -> Self:
        """The same model without what a caller keeps."""
        return self if self.cut == self.cut.automatic else self.with_cut(self.cut.automatic)

    def with_cut(self, params: CutParams) -> Self:
        """The same model with another decision rule; what was made of its weights is shared."""
        other = replace(self, cut=params)
        own = {"fingerprint", "automatic", *(each.name for each in fields(self))}
        vars(other).update({name: made for name, made in vars(self).items() if name not in own})
        return other

    def decide(self, blocks: Blocks, marginals: Floats) -> Tags:
        """Tags by the decision rule from marginals (n, 3)."""
        return decide(Evidence(blocks), marginals, self.cut)


def _reopened(kind: type[OpenModel], folder: Path, params: CutParams) -> OpenModel:
    return kind(folder, params, load_bundle(folder))
