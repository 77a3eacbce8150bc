"""Tests of the frames that show the content of a page."""

from __future__ import annotations

import pytest

from crfclean.document.formats import to_explanation
from crfclean.page.blocks import split
from crfclean.pipeline import clean
from crfclean.systems.carried import largest_frame
from crfclean.types import Page

MENU = "<frame src=menu.html>"


def frame_of(html: str, *, is_empty: bool = False) -> str:
    return largest_frame(split(Page(html)), "https://mill.example/a/b", is_empty=is_empty)


@pytest.mark.parametrize(
    "html",
    [
        "<frameset cols='20%,80%'>{menu}<frame src=text.html></frameset>",
        "<frameset cols='*,180'><frame src=text.html>{menu}</frameset>",
        "<frameset rows='90,*'>{menu}<frameset cols='150,*'>{menu}<frame src=text.html></frameset>",
        "<frameset><frame src=text.html></frameset>",
        "<frameset rows='50%,50%' cols='10%,90%'>{menu}<frame src=text.html></frameset>",
        "<iframe src=text.html width=100% height=600></iframe><iframe src=ad width=600></iframe>",
        "<iframe src=text.html style='width: 100%; height: 900px'></iframe>",
    ],
)
def test_the_largest_frame(html: str) -> None:
    assert frame_of(html.format(menu=MENU)) == "https://mill.example/a/text.html"


@pytest.mark.parametrize(
    "html",
    [
        "<iframe src=counter.html width=1 height=1></iframe>",
        "<iframe src=banner.html width=728 height=90></iframe>",
        "<iframe src=a.html width=100% height=600 style='display:none'></iframe>",
        "<noscript><iframe src=a.html width=100% height=600></iframe></noscript>",
        "<iframe src=https://www.youtube.com/embed/1 width=600 height=450></iframe>",
        "<iframe src='javascript:void(0)' width=100% height=600></iframe>",
        "<iframe width=100% height=600></iframe>",
        "<iframe src=a.html></iframe>",
    ],
)
def test_frames_that_show_no_page(html: str) -> None:
    assert frame_of(html) == ""


def test_a_frame_without_a_size_counts_only_on_an_empty_page() -> None:
    assert (
        frame_of("<iframe src=a.html></iframe>", is_empty=True) == "https://mill.example/a/a.html"
    )


def test_explain_names_the_frame() -> None:
    page = "<title>Mill</title><frameset cols='20%,80%'><frame src=m><frame src=/t></frameset>"
    explained = to_explanation(clean(page, "https://mill.example/"), ())
    assert explained.endswith(" (framed https://mill.example/t)\n")


def test_a_page_with_a_text_of_its_own_is_not_framed() -> None:
    text = "The timetable below is in force from May, on all days of the week except holidays."
    presence = clean(f"<h1>Bus</h1><p>{text}</p><iframe src=t width=100% height=900>").presence
    assert presence
    assert (presence.where, presence.frame) == ("visible", "")
