"""Sample the pages of a run: the surest and the least sure, as they come, in bounded memory."""

from __future__ import annotations

import zlib
from bisect import insort
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from crfclean.corpus.operation import Result
from crfclean.corpus.record import Record
from crfclean.io import digest

MAX_PAGE_BYTES = 2_000_000  # larger pages are not sampled; few are
_SURROGATES = "surrogatepass"  # pages in JSON may hold lone ones


@dataclass(frozen=True, slots=True, order=True)
class SampledPage:
    """A page with its score; equal scores are ordered by a digest of the name."""

    score: float
    order: str
    name: str
    packed: bytes = field(repr=False, compare=False)
    is_text: bool = field(compare=False)
    record: Record = field(repr=False, compare=False)

    def unpacked(self) -> Record:
        """The page as it was read."""
        data = zlib.decompress(self.packed)
        return replace(
            self.record, data=data.decode("utf-8", _SURROGATES) if self.is_text else data
        )


@dataclass(slots=True)
class Sample:
    """At most `size` pages of a run; `pages` counts all that have a text.

    `low` and `high` have the pages of the lowest and the highest scores, from low to high.
    """

    size: int = 20
    pages: int = 0
    too_large: int = 0
    low: list[SampledPage] = field(default_factory=list)
    high: list[SampledPage] = field(default_factory=list)

    def noted(self, results: Iterator[Result]) -> Iterator[Result]:
        """The results without their pages, which are sampled."""
        for result in results:
            if result.page is None:
                yield result
            else:
                self._note(result, result.page)
                yield replace(result, page=None)

    @property
    def least_sure(self) -> list[SampledPage]:
        """The pages of the lowest scores, the lowest first."""
        count = self.size // 2 if self.pages > self.size else len(self.low) // 2
        return self.low[:count]

    @property
    def surest(self) -> list[SampledPage]:
        """The pages of the highest scores, the highest first; none is among the least sure."""
        count = min(self.size, len(self.high)) - len(self.least_sure)
        return self.high[::-1][:count]

    def _note(self, result: Result, record: Record) -> None:
        """Count a page, and keep it if it is among the surest or the least sure."""
        self.pages += 1
        if len(record.data) > MAX_PAGE_BYTES:
            self.too_large += 1
            return
        key = (result.score, digest(result.name))
        keeps_low = len(self.low) < self.size or key < _key(self.low[-1])
        keeps_high = len(self.high) < self.size or key > _key(self.high[0])
        if keeps_low or keeps_high:
            page = _packed(key, result.name, record)
            if keeps_low:
                insort(self.low, page)
                del self.low[self.size :]
            if keeps_high:
                insort(self.high, page)
                del self.high[: -self.size]


def _key(page: SampledPage) -> tuple[float, str]:
    return page.score, page.order


def _packed(key: tuple[float, str], name: str, record: Record) -> SampledPage:
    """A page with its data compressed."""
    is_text = isinstance(record.data, str)
    data = record.data.encode("utf-8", _SURROGATES) if isinstance(record.data, str) else record.data
    return SampledPage(*key, name, zlib.compress(data), is_text, replace(record, data=b""))
