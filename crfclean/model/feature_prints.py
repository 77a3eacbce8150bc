"""Fingerprints of features: what each gives on built-in pages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from crfclean import door
from crfclean.io import read_file
from crfclean.model.first_pass import added_names, check_names
from crfclean.types import ModelError

FINGERPRINTS = Path(__file__).with_name("fingerprints.json")


@cache
def fingerprints(kind: str) -> Mapping[str, str]:
    """Feature of a kind of model ("blocks", "pagetype" …) -> its twelve hexadecimal digits."""
    prints: dict[str, str] = json.loads(read_file(FINGERPRINTS))[kind]
    return prints


def fingerprints_of(names: Sequence[str]) -> dict[str, str]:
    """Columns of blocks -> their fingerprints; raises `ModelError` for one that is none.

    The fingerprint of a feature of another package is this package with its version.
    """
    check_names(names)
    ours = fingerprints("blocks")
    return {name: ours.get(name) or door.origin("features", name) for name in names}


def check_packages(expected: Mapping[str, str]) -> None:
    """Compare the packages of a model's features with those that are installed.

    Raises `ModelError` that names the feature and the package.
    """
    for name in added_names(tuple(expected)):
        package, here = expected[name], door.origin("features", name)
        install = f"pip install {package.replace(' ', '==')}"
        if " " in package and not here:
            raise ModelError(f"the feature {name!r} of the package {package} is missing: {install}")
        if " " in package and here != package:
            raise ModelError(
                f"trained with the feature {name!r} of {package}, but {here} is installed: train "
                f"the model again, or {install}"
            )


def check_features(where: object, expected: Mapping[str, str], present: Mapping[str, str]) -> None:
    """Compare the fingerprints in a model with those of this version's features.

    Their order counts, too. Raises `ModelError` that names changed, new and missing features.
    """
    names = dict.fromkeys([*expected, *present])
    changed = [name for name in names if expected.get(name) != present.get(name)]
    if not changed and list(expected) != list(present):
        changed = ["their order"]
    if changed:
        few = ", ".join(changed[:5])
        raise ModelError(f"{where}: made for other features ({few} changed): train it again")
