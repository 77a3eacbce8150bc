"""The protocols of taggers and of what tasks share."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from crfclean.types.document import Tags
from crfclean.types.page import Blocks


class Tagger(Protocol):
    """Anything that labels the blocks of a page; it must be picklable to reach workers.

    Further capabilities of taggers are protocols in `taggers.capabilities`.
    """

    def tag(self, blocks: Blocks) -> Tags:
        """Label every block of a page; n blocks give n labels."""
        ...


@runtime_checkable
class Prepares(Protocol):
    """What tasks share, if it has something to open before a task's time limit starts."""

    def prepare(self, item: Any) -> None:
        """Open what the task of an item needs, once in each process."""
        ...
