"""The packages, with models/ as crfclean.models, and what is compiled."""

import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, find_namespace_packages, setup

OPTIONS = ["-O3", "-g0", "-ffp-contract=off"]  # -ffp-contract: the same bits on all processors
VECTORS = [*OPTIONS, "-fno-trapping-math"]  # loops with comparisons become vectors, too

CORE = Extension(
    "crfclean.core._core",
    sorted(str(path) for path in Path("native").glob("*.c")),
    depends=sorted(str(path) for path in Path("native").glob("*.h")),
    extra_compile_args=OPTIONS,
    libraries=["dl"] if sys.platform == "linux" else [],  # a library of its own in older glibc
)

CYTHON = [
    Extension(".".join(path.with_suffix("").parts), [str(path)], extra_compile_args=VECTORS)
    for path in sorted(Path("crfclean").glob("*/*.pyx"))
]

MODELS = [
    "crfclean.models",
    *(f"crfclean.models.{name}" for name in find_namespace_packages("models")),
]

setup(
    packages=[*find_namespace_packages(include=["crfclean", "crfclean.*"]), *MODELS],
    ext_modules=[CORE, *cythonize(CYTHON, build_dir="build")],
)
