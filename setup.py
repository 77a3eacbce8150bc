"""The packages, with models/ as crfclean.models, and the compiled core where it can be built."""

import os
import sys
from pathlib import Path

from setuptools import Extension, find_packages, setup

PURE = os.environ.get("CRFCLEAN_CORE") == "python"  # a wheel without the core, for every machine

CORE = Extension(
    "crfclean.core._core",
    sorted(str(path) for path in Path("native").glob("*.c")),
    depends=["native/core.h"],
    extra_compile_args=["-O3", "-ffp-contract=off"],  # results as those of numpy, bit by bit
    libraries=["dl"] if sys.platform == "linux" else [],  # a library of its own in older glibc
    optional=True,  # without a compiler everything runs in Python
)

setup(
    packages=[*find_packages(include=["crfclean", "crfclean.*"]), "crfclean.models"],
    ext_modules=[] if PURE else [CORE],
)
