"""Values that travel through the package, their errors, and the protocols of taggers."""

from crfclean.types.arrays import Bools, Floats, Ints
from crfclean.types.document import (
    CoarseKind,
    Document,
    Kind,
    Label,
    LikelyKind,
    Presence,
    Reason,
    Rule,
    Segment,
    Tag,
    Tags,
)
from crfclean.types.errors import CrfcleanError, GoldError, ModelError, NoGoldError
from crfclean.types.page import Block, Blocks, Formula, Nodes, Page, Runs
from crfclean.types.params import check_bounds, option
from crfclean.types.protocols import Prepares, Tagger

__all__ = [
    "Block",
    "Blocks",
    "Bools",
    "CoarseKind",
    "CrfcleanError",
    "Document",
    "Floats",
    "Formula",
    "GoldError",
    "Ints",
    "Kind",
    "Label",
    "LikelyKind",
    "ModelError",
    "NoGoldError",
    "Nodes",
    "Page",
    "Prepares",
    "Presence",
    "Reason",
    "Rule",
    "Runs",
    "Segment",
    "Tag",
    "Tagger",
    "Tags",
    "check_bounds",
    "option",
]
