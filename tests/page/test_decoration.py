"""Tests of `page/decoration.py`: buttons, banners and counters beside pictures of a text."""

from __future__ import annotations

import pytest

from crfclean.page.blocks import split
from crfclean.page.decoration import decoration
from crfclean.page.head import media
from crfclean.types import Page

NETWORKS = ("facebook", "twitter", "reddit")


def icons(*names: str, link: str = "/go", size: str = "") -> str:
    return "".join(f"<a href={link}><img src=/ico_{name}.gif {size}></a>" for name in names)


PAGES = {
    "bar of buttons": (icons(*NETWORKS), 3),
    "bar by alternative texts": (
        "<img src=a alt=Facebook><img src=b alt=Tweet><img src=c alt=rss>",
        3,
    ),
    "bar by its box": (f"<ul class=sns><li>{icons('a')}<li>{icons('b')}</ul>", 2),
    "bar in a row of other pictures": (icons(*NETWORKS, "a", "b", "c", "d"), 0),
    "pictures about one network": (icons("telegram-1", "telegram-2", "telegram-3"), 0),
    "large pictures": (icons(*NETWORKS, size="width=600"), 0),
    "a large picture in such a box": ("<div class=share-pin><img src=a width=600></div>", 0),
    "a button without a name": (icons(*NETWORKS) + icons("a", link="#"), 4),
    "another picture in the bar": (icons(*NETWORKS) + icons("a"), 3),
    "a picture that is enlarged": ("<a href=/b.jpg><img src=/ad.jpg></a>", 0),
    "number with these letters": ("<a href=/b><img src=/17-4ad6-9.jpg></a>", 0),
    "two buttons": (icons("facebook", "twitter"), 0),
    "banner by its size": ("<a href=/b><img src=a.png width=728 height=90></a>", 1),
    "banner by its name": ("<a href=/b><img src=/x/banner-top.png></a>", 1),
    "banner by its box": ("<div class='ad top'><a href=/b><img src=a.png></a></div>", 1),
    "a picture of that size without a link": ("<img src=a.png width=728 height=90>", 0),
    "a described picture with that name": ("<a href=/b><img src=/banner.png alt=Flag></a>", 0),
    "link with words": ("<a href=/b><img src=/banner.png> The flag</a>", 0),
    "counter": ("<img src=//c.example/hit.php?id=1><img src=/i/pixel.gif>", 2),
    "other names": ("<img src=/counterpoint.gif><img src=/i/pixels.png>", 0),
}


@pytest.mark.parametrize(("html", "expected"), PAGES.values(), ids=PAGES)
def test_decoration(html: str, expected: int) -> None:
    blocks = split(Page(f"<p>text before the pictures</p><div>{html}</div><p>text behind</p>"))
    nodes = media(blocks.table)
    assert len(decoration(blocks, nodes)) == expected
