"""Tests of `document/inline.py`: formulas that a page writes as TeX in its text."""

from __future__ import annotations

import pytest
from parttrees import keeping, short, tree

from crfclean.document.content import content
from crfclean.document.formats import WRITERS
from crfclean.document.inline import formula_pieces
from crfclean.document.parts import Part

LOADED = '<script src="https://cdn.example/mathjax@3/tex-chtml.js"></script>'


def formulas(text: str, *, typeset: bool = False) -> list[str]:
    """The TeX of a text's formulas, `|` before that of displays."""
    parts = [piece for piece in formula_pieces(text, typeset=typeset) if isinstance(piece, Part)]
    return [("|" if part.facts["display"] else "") + part.facts["tex"] for part in parts]


TYPESET = {
    "single dollars": ("Let $x_1$ and $y$ be", ["x_1", "y"]),
    "money": ("costs $100 per unit, or $200", []),
    "blank inside": ("a $ x$ b", []),
    "escaped dollar": (r"\$5 and $x$", ["x"]),
    "words": (r"\(or\)", ["or"]),
}


@pytest.mark.parametrize(("text", "expected"), TYPESET.values(), ids=TYPESET)
def test_formulas_where_the_page_typesets_them(text: str, expected: list[str]) -> None:
    assert formulas(text, typeset=True) == expected


@pytest.mark.parametrize(
    "text", ["", "a", "$x", r"a \(b_1\) c", r"$$x^2$$\(y_1\)", "$$$$", r"\(\)"]
)
def test_pieces_are_the_text(text: str) -> None:
    pieces = [*formula_pieces(text)]
    assert (
        "".join(piece if isinstance(piece, str) else str(piece.children[0]) for piece in pieces)
        == text
    )


def test_page_that_loads_mathjax() -> None:
    assert tree(f"{LOADED}<p>Let $x_1$ be") == [
        ["paragraph", "Let ", ["formula tex=x_1 display=False", "$x_1$"], " be"]
    ]
    assert tree("<p>Let $x_1$ be") == [["paragraph", "Let $x_1$ be"]]


MATH = '<math alttext="a_1*b"><mi>a</mi></math>'
BARE = "<math><mi>a</mi><mo>&lt;</mo><mi>b</mi></math>"
WRITTEN = {
    "md": ("so $a_1*b$.", "so a\\<b."),
    "txt": ("so $a_1*b$.", "so a<b."),
    "html": (
        r'<p>so <span class="math inline">\(a_1*b\)</span>.</p>',
        "<p>so <math><mi>a</mi><mo>&lt;</mo><mi>b</mi></math>.</p>",
    ),
    "tei": (
        '<p>so <formula notation="TeX">a_1*b</formula>.</p>',
        '<p>so <formula notation="MathML">&lt;math&gt;&lt;mi&gt;a',
    ),
}


@pytest.mark.parametrize("ending", WRITTEN)
def test_formats(ending: str) -> None:
    if ending == "html":
        pytest.importorskip("nh3")
    written = [WRITERS[ending](keeping(f"<p>so {html}.</p>")) for html in (MATH, BARE)]
    for text, expected in zip(written, WRITTEN[ending], strict=True):
        assert expected in text


def test_many_marks_are_read_in_bounded_steps() -> None:
    text = r"\(\[\begin{align}" * 5_000
    assert formulas(text, typeset=True) == []
    assert len(formulas(r"\(x_1\)" * 5_000)) == 5_000


def test_facts_of_a_formula() -> None:
    (part,) = content(keeping(f"<p>{BARE}</p>"))
    (formula,) = part.children
    assert isinstance(formula, Part)
    assert short(formula)[1] == "a<b"
    assert formula.facts["mathml"] == BARE
