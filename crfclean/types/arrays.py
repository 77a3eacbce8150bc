"""Types of arrays of numbers, which do not load numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:  # numpy is slow to load, and help and completion need no arrays
    import numpy as np
    import numpy.typing as npt

Ints: TypeAlias = "npt.NDArray[np.signedinteger[Any]]"
Floats: TypeAlias = "npt.NDArray[np.float64]"
Bools: TypeAlias = "npt.NDArray[np.bool_]"
