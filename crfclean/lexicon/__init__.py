"""The word lists of all languages, and the words of class and id.

Each language is a file, such as `cs.toml`; `markup.toml` has the words of class and id.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crfclean.lexicon.tables import Lexicon


@cache
def lexicon() -> Lexicon:
    """Return the words of all languages; the first call reads their files."""
    from crfclean.lexicon.tables import LANGUAGES, Lexicon

    return Lexicon(LANGUAGES)
