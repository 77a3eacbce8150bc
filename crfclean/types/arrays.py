"""Names for arrays of numbers; importing them does not load numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:  # the command line reads the types for its options, and needs no arrays
    import numpy as np
    import numpy.typing as npt

Ints: TypeAlias = "npt.NDArray[np.signedinteger[Any]]"
Floats: TypeAlias = "npt.NDArray[np.float64]"
Bools: TypeAlias = "npt.NDArray[np.bool_]"
