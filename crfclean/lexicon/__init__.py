"""Nothing -> the words of all languages, in the tables that readers use.

A language is one file, listed in `languages.py`; `markup.py` has the words of class and id.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crfclean.lexicon.tables import Lexicon


@cache
def lexicon() -> Lexicon:
    """The words of all languages; their files are read when the first word is asked for."""
    from crfclean.lexicon.languages import LANGUAGES
    from crfclean.lexicon.tables import Lexicon

    return Lexicon(LANGUAGES)
