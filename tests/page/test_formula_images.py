"""Tests of `page/formulas.py`: pictures that show formulas."""

from __future__ import annotations

import pytest

from crfclean.page.blocks import split
from crfclean.page.formulas import tex_of_address
from crfclean.types import Page

ADDRESSES = {
    "https://latex.codecogs.com/svg.image?%5Cfrac%7Ba%7D%7Bb%7D": r"\frac{a}{b}",
    "//latex.codecogs.com/gif.latex?%5Cdpi%7B150%7D%20%5Clarge%20x%5E2&space;+y": "x^2 +y",
    "https://latex.codecogs.com/svg/x_%7B1%7D": "x_{1}",
    "https://chart.apis.google.com/chart?cht=tx&chl=%5Calpha%2B%5Cbeta": r"\alpha+\beta",
    "https://s0.wp.com/latex.php?latex=a%5E2&bg=ffffff&fg=000000": "a^2",
    "http://example.org/cgi-bin/mathtex.cgi?%5Csqrt%7B2%7D": r"\sqrt{2}",
    "https://www.zhihu.com/equation?tex=O%28n%5Clog+n%29": r"O(n\log n)",
    "https://i.upmath.me/svg/e%5E%7Bi%5Cpi%7D": r"e^{i\pi}",
}


def shown(image: str) -> str:
    (text,) = split(Page(f"<p>Let {image} be so.</p>")).texts
    return text


@pytest.mark.parametrize(("address", "tex"), ADDRESSES.items())
def test_tex_in_an_address(address: str, tex: str) -> None:
    assert tex_of_address(address) == tex
    source = address.replace("&", "&amp;")
    for alt in ("", "a formula"):
        assert shown(f'<img src="{source}" alt="{alt}">') == f"Let ${tex}$ be so."


@pytest.mark.parametrize("alt", [r"\operatorname{fn}(x,y)", r"\frac{a}{b}", r"e^\mathrm{x}"])
def test_tex_in_alternative_text(alt: str) -> None:
    assert shown(f'<img class="aligncenter" src="a.svg" alt="{alt}">') == f"Let ${alt}$ be so."


def test_an_environment_of_lines_of_its_own_is_displayed() -> None:
    alt = r"\begin{align*} a &= b \end{align*}".replace("&", "&amp;")
    assert shown(f'<img src="a.svg" alt="{alt}">') == (
        r"Let $$\begin{align*} a &= b \end{align*}$$ be so."
    )
