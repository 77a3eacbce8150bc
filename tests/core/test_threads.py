"""Pages are tagged in several threads at once as in one."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from htmlpages import demo_pages
from markup import soups

from crfclean import clean, extract


def tagged(html: str) -> tuple[bytes | str, ...]:
    """Labels, probabilities, score and text of a page, to the last bit."""
    tags = clean(html).tags
    return tags.labels.tobytes(), tags.marginals.tobytes(), repr(tags.score), extract(html)


def test_eight_threads_give_what_one_gives() -> None:
    pages = [*demo_pages()[::4], *soups("<p>The_lake_froze,_and_the_ferry_stayed.</p>", 20)]
    pages.append("".join(demo_pages()) * 3)  # its events do not stay in the first buffer
    alone = [tagged(html) for html in pages]
    with ThreadPoolExecutor(8) as pool:
        for together in pool.map(tagged, pages * 4):
            assert together in alone
        assert list(pool.map(tagged, pages)) == alone
