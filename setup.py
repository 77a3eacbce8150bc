"""The packages, with models/ as crfclean.models, and what is compiled."""

import sys
from pathlib import Path

from setuptools import Extension, find_namespace_packages, setup

OPTIONS = ["-O3", "-g0", "-ffp-contract=off"]  # -ffp-contract: the same bits on all processors
VECTORS = [*OPTIONS, "-fno-trapping-math"]  # loops with comparisons become vectors, too

SOURCES: dict[str, tuple[str, ...]] = {
    "read": ("counts", "parse", "styles", "table", "walk"),
    "table": (
        "table",
        "derived",
        "columns",
        "containers",
        "context",
        "repetition",
        "victor",
        "whole",
    ),
    "words": ("table",),
    "rows": ("table",),
}
"""Module in Cython -> files of `native` that it is compiled from, too."""

DL = ["dl"] if sys.platform == "linux" else []  # a library of its own in older glibc

HEADERS = sorted(str(path) for path in Path("native").glob("*.h"))


def cython(path: Path) -> Extension:
    """The extension of a Cython file, with the C files that belong to it."""
    sources = SOURCES.get(path.stem, ())
    return Extension(
        ".".join(path.with_suffix("").parts),
        [str(path), *(f"native/{name}.c" for name in sources)],
        depends=HEADERS,
        include_dirs=["native"],
        extra_compile_args=OPTIONS if sources else VECTORS,
        libraries=DL if path.stem == "read" else [],
    )


CYTHON = [cython(path) for path in sorted(Path("crfclean").glob("*/*.pyx"))]

MODELS = [
    "crfclean.models",
    *(f"crfclean.models.{name}" for name in find_namespace_packages("models")),
]

setup(
    packages=[*find_namespace_packages(include=["crfclean", "crfclean.*"]), *MODELS],
    ext_modules=CYTHON,
)
