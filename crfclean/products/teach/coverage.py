"""Say how much of the pages is labelled, and which pages are left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from crfclean.cli.messages import LOG
from crfclean.page.chars import plural
from crfclean.page.page_names import is_page
from crfclean.products.teach.gold import NONE, GoldPage, files_below

_MOST_NAMED = 5  # pages in a message


@dataclass
class Coverage:
    """The ids of the pages with gold, and the blocks and labels of partly labelled pages."""

    ids: set[str] = field(default_factory=set)
    partial: int = 0
    labels: int = 0
    blocks: int = 0

    def count(self, pages: Iterable[GoldPage]) -> Iterator[GoldPage]:
        """Yield the pages, and count them."""
        for gold in pages:
            self.ids.add(gold.id)
            if gold.is_partial:
                lines = gold.labels or ()
                self.partial += 1
                self.labels += sum(label != NONE for label, _ in lines)
                self.blocks += len(lines)
            yield gold

    def tell(self, path: Path) -> None:
        """Say how many blocks have a label, and which pages of a directory have no gold."""
        if self.partial:
            LOG.warning(
                "%d of %s partly labelled: %d of %s have a label, the others count for nothing",
                self.partial,
                f"{plural(len(self.ids), 'page')} {'is' if self.partial == 1 else 'are'}",
                self.labels,
                plural(self.blocks, "block"),
            )
        if names := self.left_out(path):
            what = plural(len(names), "page")
            LOG.warning("left out: %s without a label or text: %s", what, first_names(names))

    def left_out(self, path: Path) -> list[str]:
        """Return the names of the pages of a directory that were not among the counted ones."""
        files = files_below(path) if path.is_dir() else []
        names = (file.relative_to(path).as_posix() for file in files if is_page(file.name))
        return [name for name in names if name not in self.ids]


def first_names(names: Sequence[str]) -> str:
    """Return the names of some pages for a message.

    >>> first_names(["a.html", "b.html"]), first_names("abcdefg")
    ('a.html, b.html', 'a, b, c, d, e…')
    """
    return ", ".join(names[:_MOST_NAMED]) + ("…" if len(names) > _MOST_NAMED else "")
