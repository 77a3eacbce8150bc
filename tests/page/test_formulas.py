"""Tests of `page/formulas.py`: what programs typeset is one run of text with its TeX."""

from __future__ import annotations

import pytest

from crfclean.page.blocks import split
from crfclean.page.formulas import MAX_EVENTS, MAX_TEX_CHARS, clean_tex
from crfclean.types import Formula, Page

MATH = "<math><msup><mi>x</mi><mn>2</mn></msup></math>"
ANNOTATED = (
    '<math display="block"><semantics><msup><mi>x</mi><mn>2</mn></msup>'
    '<annotation encoding="application/x-tex">x^2</annotation></semantics></math>'
)
KATEX = (
    f'<span class="katex"><span class="katex-mathml">{ANNOTATED}</span>'
    '<span class="katex-html" aria-hidden="true"><span class="mord">x</span>2</span></span>'
)
SCRIPT = '<script type="math/tex" id="MathJax-Element-1">x^2</script>'
RENDERED = '<span class="MathJax" id="MathJax-Element-1-Frame"><nobr>x2</nobr></span>'

ATTRIBUTED = (
    '<span class="math-inline" data-math="x^2"><span class="katex">'
    '<span class="katex-html">x2</span></span></span>'
)
ASSISTED = (
    f'<mjx-container display="true"><svg><path/></svg><mjx-assistive-mml>{MATH}'
    "</mjx-assistive-mml></mjx-container>"
)
GLYPHS = (
    '<mjx-container><mjx-c class="mjx-c78"></mjx-c><mjx-c class="mjx-c32">2</mjx-c></mjx-container>'
)
MEDIAWIKI = (
    f'<span class="mwe-math-element"><span style="display: none">{ANNOTATED}</span>'
    '<img class="mwe-math-fallback-image-inline" alt="{\\displaystyle y}" src="a.svg"></span>'
)
FORMULAS = {
    "MathML": (MATH, "x2"),
    "annotation": (ANNOTATED, "$$x^2$$"),
    "alttext": ('<math alttext="x^2"><mi>x</mi></math>', "$x^2$"),
    "KaTeX": (KATEX, "$$x^2$$"),
    "display of KaTeX": (f'<span class="katex-display">{KATEX}</span>', "$$x^2$$"),
    "KaTeX and an attribute": (ATTRIBUTED, "$x^2$"),
    "script": (SCRIPT, "$x^2$"),
    "script on its own lines": ('<script type="math/tex; mode=display">x^2</script>', "$$x^2$$"),
    "rendered, with its script": (RENDERED + SCRIPT, "$x^2$"),
    "rendered, without one": (RENDERED, "x2"),
    "preview and script": (f'<span class="MathJax_Preview">x2</span>{SCRIPT}', "$x^2$"),
    "preview, rendered, script": (
        f'<span class="MathJax_Preview"></span>{RENDERED}{SCRIPT}',
        "$x^2$",
    ),
    "MathJax 3 with MathML": (ASSISTED, "x2"),
    "characters by class": (GLYPHS, "x2"),
    "MediaWiki": (MEDIAWIKI, "$$x^2$$"),
    "picture": ('<img class="latex" src="a.png" alt="$x^2$">', "$x^2$"),
    "Temml": ('<span class="hurmet-tex" data-entry="x^2"><math><mi>x</mi></math></span>', "$x^2$"),
    "an attribute": ('<span data-tex="x^2">x2</span>', "$x^2$"),
}


@pytest.mark.parametrize(("html", "shown"), FORMULAS.values(), ids=FORMULAS)
def test_formula_is_one_run_of_its_sentence(html: str, shown: str) -> None:
    blocks = split(Page(f"<p>Let {html} be <b>so</b>.</p>"))
    assert blocks.texts == (f"Let {shown} be so.",)
    assert [formula.shown for formula in blocks.table.formulas.values()] == [shown]
    (run,) = blocks.table.formulas
    assert blocks.table.run_texts[run] == shown


NO_FORMULAS = {
    "picture of something": '<img class="photo" alt="a cat" src="a.png">',
    "other script": "<script>x^2</script>",
    "empty": "<math></math>",
    "hidden": f"<span hidden>{MATH}</span>",
    "hidden itself": '<math hidden=""><mi>x</mi></math>',
    "class of the page": '<span class="mathematics katexy">word</span>',
}


@pytest.mark.parametrize("html", NO_FORMULAS.values(), ids=NO_FORMULAS)
def test_what_is_no_formula(html: str) -> None:
    assert not split(Page(f"<p>a {html} b<!-- <math -->")).table.formulas


def test_prose_in_an_element_for_formulas_stays_prose() -> None:
    html = f'<div class="MathJax"><p>First <em>one</em>.</p><p>Then {MATH}.</p></div><p>End'
    assert split(Page(html)).texts == ("First one.", "Then x2.", "End")


def test_two_formulas_that_touch_stay_two() -> None:
    blocks = split(Page(f'<p>{MATH}<script type="math/tex">y</script>'))
    assert blocks.texts == ("x2$y$",)


def test_too_large_a_formula_is_text() -> None:
    html = '<p><span class="katex">' + "<i>x</i>" * MAX_EVENTS + "</span>"
    blocks = split(Page(html))
    assert not blocks.table.formulas
    assert len(blocks.texts[0]) == MAX_EVENTS


def test_mathml_is_kept_as_markup() -> None:
    html = '<math><mtext a="&quot;&lt;">&lt;b&gt;</mtext><annotation>x</annotation></math>'
    (formula,) = split(Page(f"<p>{html}</p>")).table.formulas.values()
    assert formula == Formula(
        mathml='<math><mtext a="&quot;&lt;">&lt;b&gt;</mtext></math>', text="<b>"
    )


TEX = {
    "dollars": ("$x$", "x"),
    "double dollars": ("$$x$$", "x"),
    "parentheses": (r"\(x\)", "x"),
    "brackets": (r"\[ x \]", "x"),
    "display style": (r"{\displaystyle x}", "x"),
    "dollars in words": (r"\text{$a$ or $b$}", r"\text{$a$ or $b$}"),
    "comment": ("a % b\nc", "a c"),
    "percent": (r"a \% b", r"a \% b"),
    "data": ("% <![CDATA[\nx\n%]]>", "x"),
    "too long": ("x" * (MAX_TEX_CHARS + 1), ""),
}


@pytest.mark.parametrize(("source", "tex"), TEX.values(), ids=TEX)
def test_tex_is_without_its_wrapping(source: str, tex: str) -> None:
    assert clean_tex(source) == tex


def test_tex_that_shows_nothing_is_no_formula() -> None:
    group = '<span class="MathJax"><script type="math/tex">\\{}group</script></span>'
    html = f"<p>{group.format('begin')}Very helpful.{group.format('end')}</p>"
    assert split(Page(html)).texts == ("Very helpful.",)
    assert clean_tex(r"\begingroup x \endgroup") == r"\begingroup x \endgroup"
