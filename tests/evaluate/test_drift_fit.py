"""Tests of `evaluate/drift.py`: how much of a page's text stands where its site had it."""

from __future__ import annotations

from crfclean.evaluate.drift import SitePage, SiteText, falls_of_sites, learned_pages, sites_in_time
from crfclean.site_places import TextPlace


def page(number: int, *, path: str = "div#main.tag-{} div.post p") -> tuple[TextPlace, ...]:
    """The places of a page: a text in an element of its site, and a word elsewhere."""
    text = TextPlace(path.format("abcdefgh"[number % 8]), 100 + number, 90 + number)
    return text, TextPlace("ul.menu li", 40, 1)


def test_a_quarter_of_the_pages_is_learned_from() -> None:
    assert learned_pages([page(number) for number in range(40)]) == 10
    assert learned_pages([page(number) for number in range(400)]) == 20
    assert learned_pages([page(number) for number in range(5)]) == 4
    assert learned_pages([page(number) for number in range(3)]) == 0


def test_equal_pages_and_pages_without_text_teach_nothing() -> None:
    pages = [page(0), page(0), (), *(page(number) for number in range(1, 9))]
    assert learned_pages(pages) == 6
    assert learned_pages([page(0), ()] * 20) == 0


def test_text_at_the_places_of_the_site_fits() -> None:
    site = SiteText([page(number) for number in range(8)])
    assert site.fit(page(20)) == round(110 / 111, 4)
    assert site.fit(page(20, path="div#main div.post.new p")) == round(110 / 111, 4)
    assert site.fit(page(20, path="section.body p")) == 0.0
    assert site.fit(()) == 0.0


def test_places_of_two_pages_say_nothing_of_the_site() -> None:
    others = [page(number, path="div.rare p") for number in range(2)]
    site = SiteText([*others, *(page(number) for number in range(3, 9))])
    assert site.fit(others[0]) == 0.0


def rows(count: int, change: int) -> list[SitePage]:
    """The pages of a site whose template is another one from page `change` on."""
    return [
        SitePage(
            *("a.example", f"2026-03-{number + 1:02}", str(number), {"score": 0.9}),
            places=page(number) if number < change else page(number, path="section.body p"),
        )
        for number in range(count)
    ]


def test_a_new_template_is_a_fall_of_the_fit() -> None:
    (fall,) = falls_of_sites(sites_in_time(rows(28, 20))).falls
    assert (fall.measure, fall.since) == ("fit", "2026-03-21")
    assert (fall.pages_before, fall.pages_after) == (13, 8)
    assert not falls_of_sites(sites_in_time(rows(28, 28))).falls


def test_pages_that_are_learned_from_have_no_fit() -> None:
    pages = [*rows(12, 12), SitePage("a.example", "2026-03-30", "x", {"score": 0.9})]
    (site_pages,) = sites_in_time(pages).values()
    assert ["fit" in each.measures for each in site_pages] == [False] * 4 + [True] * 8 + [False]
    (few,) = sites_in_time(rows(3, 3)).values()
    assert all("fit" not in each.measures for each in few)
