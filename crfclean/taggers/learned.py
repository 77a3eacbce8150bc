"""What taggers of every kind of model have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from crfclean.decision.evidence import SHIPPED
from crfclean.decision.params import LISTS, CutParams
from crfclean.io import canonical, digest
from crfclean.modelfiles.folder import MANIFEST, Bundle, find_model, load_bundle
from crfclean.modelfiles.plain import reading
from crfclean.modelfiles.probe import kinds_fingerprint
from crfclean.nn.files import labels_to_bytes
from crfclean.pagetype.read import PAGE_MODEL
from crfclean.taggers.capabilities import Decides
from crfclean.taggers.pooling import PARAMETER
from crfclean.types import CrfcleanError, ModelError, Tagger


def fingerprint_of(bundle: Bundle, params: CutParams) -> str:
    """16 hexadecimal digits of a model and its decision rule; raises `ModelError`."""
    networks = [labels_to_bytes(network) for network in bundle.networks.values()]
    parts = {"kind": bundle.kind, "elements": bundle.elements, "cut": params}
    parts |= {PARAMETER: weight} if (weight := bundle.parameters.get(PARAMETER)) else {}
    content = canonical(parts | {"encoder": bundle.encoder})
    return digest(bundle.weights, *(networks or [b""]), content, evidence_fingerprint())


@cache
def evidence_fingerprint() -> str:
    """16 hexadecimal digits of what the decision weighs beside a model; raises `ModelError`."""
    from crfclean.kinds.model import KIND_MODEL  # most pages need no model of kinds

    with reading(SHIPPED):
        files = [find_model(name) / MANIFEST for name in (PAGE_MODEL, KIND_MODEL)]
        return digest(*(path.read_bytes() for path in (SHIPPED, *files)), kinds_fingerprint())


def params_of(folder: Path, bundle: Bundle) -> CutParams:
    """The decision rule in a manifest; raises `ModelError`."""
    try:
        values = {**bundle.cut}
        values |= {name: tuple(values.get(name, ())) for name in LISTS}  # JSON has lists
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
