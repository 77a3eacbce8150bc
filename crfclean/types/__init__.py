"""Values that travel through the package, their errors, and the protocols of taggers."""

from crfclean.types.choices import (
    CrfcleanError,
    GoldError,
    ModelError,
    NoGoldError,
    WorkerError,
    check_bounds,
    install,
    option,
)
from crfclean.types.document import (
    CoarseKind,
    Document,
    Kind,
    Label,
    LikelyKind,
    Prepares,
    Presence,
    Reason,
    Rule,
    Segment,
    Tag,
    Tagger,
    Tags,
    TextEnd,
)
from crfclean.types.page import Block, Blocks, Bools, Floats, Formula, Ints, Nodes, Page, Runs
