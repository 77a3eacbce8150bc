"""The packages, with models/ as crfclean.models, and what is compiled."""

import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, find_packages, setup

OPTIONS = ["-O3", "-ffp-contract=off"]  # results as those of numpy, bit by bit

CORE = Extension(
    "crfclean.core._core",
    sorted(str(path) for path in Path("native").glob("*.c")),
    depends=sorted(str(path) for path in Path("native").glob("*.h")),
    extra_compile_args=OPTIONS,
    libraries=["dl"] if sys.platform == "linux" else [],  # a library of its own in older glibc
)

DECISION = [
    Extension(
        f"crfclean.decision.{name}", [f"crfclean/decision/{name}.pyx"], extra_compile_args=OPTIONS
    )
    for name in ("borders", "sums")
]

setup(
    packages=[*find_packages(include=["crfclean", "crfclean.*"]), "crfclean.models"],
    ext_modules=[CORE, *cythonize(DECISION, build_dir="build")],
)
