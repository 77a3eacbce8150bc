"""Names that users may choose from, apart from the code behind them.

Help and completion show these names, and must not import the modules that do the work. Those
modules have the same names; a test compares the two.
"""

from __future__ import annotations

from crfclean.types.document import Kind

RULES = ("expected_f1", "threshold", "precision", "viterbi")
"""How probabilities become labels; see `cut`."""

KEEPABLE = tuple(kind.name.lower() for kind in Kind)
"""Kinds of blocks that may be kept; see `cut`."""

POST_STEPS = ("begin", "paths", "lonely", "neighbours")
"""Steps of the post-analysis, in their order; see `postanalysis`."""

COMMENT_MODES = ("keep", "separate", "drop")
"""What becomes of readers' comments; see `comments`."""

FORUM_TAGGERS = ("forum", "auto")
"""Taggers of forum pages; see `forum.tagger`."""

PRESETS = ("tuned", "paper")
"""Recipes of the perceptron; see `nn.params`."""
