"""Write the manifests of the shipped models again, in the present format: their weights stay.

Run `python -m eval.models.rewrite_manifests` from the root of a checkout after the format of
manifests, or the kinds of blocks that shipped models keep, have changed. Nothing is trained. A
model that was made for other features than those of this version, as far as its manifest says, is
left as it is: it has to be trained again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from crfclean.forum.fingerprints import forum_fingerprints
from crfclean.metadata import weights as metadata
from crfclean.metadata.ranking import RankingWeights
from crfclean.modelfiles.binning import Encoder
from crfclean.modelfiles.folder import MANIFEST, NETWORK, Bundle, save_bundle
from crfclean.modelfiles.plain import WEIGHTS, write_plain
from crfclean.modelfiles.probe import check_features, fingerprints
from crfclean.modelfiles.training_pages import unpack
from crfclean.nn.files import labels_from_bytes
from crfclean.pagetype.model import figure_fingerprints as of_pages
from eval.models.train_default import KEEP

ROOT = Path(__file__).parent.parent.parent
MODELS = ROOT / "models"
ABOUT = ("parameters", "sets", "scores")
"""What a manifest of plain weights says besides what is checked."""


def rewrite_bundle(folder: Path) -> None:
    """A model of blocks: a CRF or a perceptron."""
    parts = read(folder)
    check_features(folder, parts["features"], fingerprints(tuple(parts["features"])))
    first = tuple(parts["network"])
    bundle = Bundle(
        kind=parts["kind"],
        encoder=Encoder(**{name: frozen(value) for name, value in parts["encoder"].items()}),
        weights=(folder / f"weights.{parts['kind']}").read_bytes(),
        network=labels_from_bytes((folder / NETWORK).read_bytes(), first) if first else None,
        elements=tuple(parts["elements"]),
        parameters=parts["parameters"],
        cut={**parts["cut"], "keep": list(KEEP)},
        sets=parts["sets"],
        scores=parts["scores"],
        pages=unpack(parts.get("pages", "")),
    )
    save_bundle(bundle, folder)


def rewrite_plain(key: str, features: Callable[[], dict[str, str]], folder: Path) -> None:
    """A model whose weights are JSON; `key` names its classes (labels or types)."""
    parts, prints = read(folder), features()
    check_features(folder, prints_of(parts, prints), prints)
    told = {key: parts[key], "features": prints}
    about = {name: parts[name] for name in ABOUT if name in parts}
    weights = json.loads((folder / WEIGHTS).read_text("utf-8"))
    write_plain(folder, parts["kind"], told, weights, about)


def rewrite_metadata(path: Path) -> None:
    """The weights of titles, authors and dates."""
    parts, prints = json.loads(path.read_text("utf-8")), metadata.ranking_fingerprints()
    check_features(path, prints_of(parts, prints), prints)
    weights = {
        kind: RankingWeights(one, parts["least"][kind]) for kind, one in parts["weights"].items()
    }
    metadata.save_weights(path, weights, parts["about"])


def prints_of(parts: Mapping[str, Any], present: dict[str, str]) -> dict[str, str]:
    """The fingerprints in a manifest; the present ones where its format had none yet."""
    found = parts.get("features")
    return found if isinstance(found, dict) else present


def read(folder: Path) -> dict[str, Any]:
    """A manifest, whatever its format."""
    parts: dict[str, Any] = json.loads((folder / MANIFEST).read_text("utf-8"))
    return parts


def frozen(value: Any) -> Any:
    """JSON's lists as tuples."""
    return tuple(map(frozen, value)) if isinstance(value, list) else value


def digests() -> dict[str, str]:
    """File of a model that is no manifest -> its SHA-256."""
    files = (path for path in sorted(MODELS.glob("*/*")) if path.name != MANIFEST)
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def main() -> None:
    before = digests()
    rewrite_bundle(MODELS / "default")
    rewrite_bundle(MODELS / "mlp")
    rewrite_plain("labels", forum_fingerprints, MODELS / "forum")
    rewrite_plain("types", of_pages, MODELS / "pagetype")
    rewrite_metadata(metadata.SHIPPED_WEIGHTS)
    changed = [path for path, digest in digests().items() if before[path] != digest]
    if changed:
        raise SystemExit(f"changed: {', '.join(changed)}")
    print(f"{len(before)} files beside the manifests are as they were")


if __name__ == "__main__":
    main()
