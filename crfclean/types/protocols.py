"""The protocols that every tagger, or what tasks share, keeps."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from crfclean.types.document import Tags
from crfclean.types.page import Blocks


class Tagger(Protocol):
    """Anything that labels the blocks of a page; it must be picklable to reach workers.

    What more a tagger can do is in `taggers.capabilities`.
    """

    def tag(self, blocks: Blocks) -> Tags:
        """Label every block of a page; n blocks give n labels, none none."""
        ...


@runtime_checkable
class Prepares(Protocol):
    """What tasks share, where it has something to open before the time of a task runs."""

    def prepare(self, item: Any) -> None:
        """Open what the task of an item needs; once a process."""
        ...
