"""The packages, with models/ as crfclean.models, and what is compiled."""

import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, find_namespace_packages, setup

OPTIONS = ["-O3", "-g0", "-ffp-contract=off"]  # -ffp-contract: the same bits as numpy

READ = [f"native/{name}.c" for name in ("counts", "parse", "styles", "table", "walk")]
DL = ["dl"] if sys.platform == "linux" else []  # a library of its own in older glibc

CORE = Extension(
    "crfclean.core._core",
    sorted({str(path) for path in Path("native").glob("*.c")} - set(READ)),
    depends=sorted(str(path) for path in Path("native").glob("*.h")),
    extra_compile_args=OPTIONS,
)

READER = Extension(
    "crfclean.core.read",
    ["crfclean/core/read.pyx", *READ],
    depends=["native/table.h"],
    include_dirs=["native"],
    extra_compile_args=OPTIONS,
    libraries=DL,
)

DECISION = [
    Extension(
        f"crfclean.decision.{name}", [f"crfclean/decision/{name}.pyx"], extra_compile_args=OPTIONS
    )
    for name in ("borders", "sums")
]

MODELS = [
    "crfclean.models",
    *(f"crfclean.models.{name}" for name in find_namespace_packages("models")),
]

setup(
    packages=[*find_namespace_packages(include=["crfclean", "crfclean.*"]), *MODELS],
    ext_modules=[CORE, *cythonize([READER, *DECISION], build_dir="build")],
)
