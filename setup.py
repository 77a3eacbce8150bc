"""The packages, with models/ as crfclean.models, and what is compiled."""

import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, find_namespace_packages, setup

OPTIONS = ["-O3", "-g0", "-ffp-contract=off"]  # -ffp-contract: the same bits as numpy

TABLE = ("table", "columns", "containers", "context", "repetition", "victor", "whole")
"""Files of `native` that `crfclean.core.table` is compiled from."""

CORE = Extension(
    "crfclean.core._core",
    sorted(str(path) for path in Path("native").glob("*.c") if path.stem not in TABLE),
    depends=sorted(str(path) for path in Path("native").glob("*.h")),
    extra_compile_args=OPTIONS,
    libraries=["dl"] if sys.platform == "linux" else [],  # a library of its own in older glibc
)

MODULES: dict[str, tuple[str, ...]] = {
    "core/table": TABLE,
    "features/zoning": (),
    "features/apart": (),
    "decision/borders": (),
    "decision/sums": (),
    "pagetype/sizes": (),
}
"""Module in Cython -> files of `native` that are compiled with it."""

COMPILED = [
    Extension(
        f"crfclean.{name.replace('/', '.')}",
        [f"crfclean/{name}.pyx", *[f"native/{each}.c" for each in sources]],
        include_dirs=["native"],
        depends=["native/core.h", "native/table.h", "native/columns.h"],
        extra_compile_args=OPTIONS,
    )
    for name, sources in (MODULES.items())
]

MODELS = [
    "crfclean.models",
    *(f"crfclean.models.{name}" for name in find_namespace_packages("models")),
]

setup(
    packages=[*find_namespace_packages(include=["crfclean", "crfclean.*"]), *MODELS],
    ext_modules=[CORE, *cythonize(COMPILED, build_dir="build")],
)
