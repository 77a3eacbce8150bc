r"""Find formulas that a page writes as TeX in its text: `\(x\)`, `\[x\]`, `$$x$$`, environments.

A single dollar sign marks a formula only on a page that loads MathJax or KaTeX; elsewhere it means
money.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from crfclean.structure.parts import Part
from crfclean.types import Formula, Nodes

_LOADER = re.compile(r"mathjax|katex", re.IGNORECASE)
_MARKS = re.compile(r"\\\\|\\\$|\$\$|\$|\\[()\[\]]|\\(begin|end)\{([A-Za-z]{1,20}\*?)\}")
_CLOSE = {"$$": "$$", "$": "$", "\\(": "\\)", "\\[": "\\]"}
_DISPLAY = frozenset(["$$", "\\["])
# TeX rather than words: `\alpha`, `x^2`, `a_i`, `a = b`; or a name alone: `\(x\)`
_TEX = re.compile(r"\\[A-Za-z]|[\^_={}+<>|]|\A\s*[A-Za-z]\d?\s*\Z")
_ENVIRONMENTS = frozenset(
    "equation align aligned gather gathered multline eqnarray alignat split cases matrix pmatrix "
    "bmatrix vmatrix array math displaymath".split()
)


def loads_typesetter(nodes: Nodes) -> bool:
    """Return whether a page loads MathJax or KaTeX, by its scripts and style sheets."""
    loaders = [node for node, tag in enumerate(nodes.tags) if tag in ("script", "link")]
    attributes = (nodes.attributes[node] for node in loaders)
    return any(_LOADER.search(f"{of.get('src')} {of.get('href')}") for of in attributes)


def formula_pieces(text: str, *, typeset: bool = False) -> Iterator[str | Part]:
    """Cut a text at its formulas, in linear time.

    `typeset` says that the page loads a program that shows formulas.
    """
    marks = [mark for mark in _MARKS.finditer(text) if mark[0] not in ("\\\\", "\\$")]
    closing, at, begin = _next_closing(marks), 0, 0
    while at < len(marks):
        mark, close = marks[at], marks[closing[at]]
        formula = _formula(text, mark, close, typeset=typeset) if closing[at] >= 0 else None
        if formula is None:
            at += 1
            continue
        if begin < mark.start():
            yield text[begin : mark.start()]
        yield formula_part(formula, text[mark.start() : close.end()])
        begin, at = close.end(), closing[at] + 1
    if begin < len(text):
        yield text[begin:]


def _formula(
    text: str, begin: re.Match[str], end: re.Match[str], *, typeset: bool
) -> Formula | None:
    """The formula between two marks, None for other text."""
    from crfclean.page.formulas import clean_tex  # few texts have such marks

    inner = text[begin.end() : end.start()]
    if begin[1]:
        return Formula(clean_tex(text[begin.start() : end.end()]), display=True)
    if begin[0] == "$" and not (typeset and _hugs(inner, text[end.end() :][:1])):
        return None
    tex = clean_tex(inner)
    if not tex or "$" in tex or not (typeset or _TEX.search(inner)):
        return None
    return Formula(tex, display=begin[0] in _DISPLAY)


def _hugs(inner: str, following: str) -> bool:
    """Return whether dollar signs enclose a formula: no blank inside, no digit after them."""
    return not (inner[:1].isspace() or inner[-1:].isspace() or following.isdigit())


def _next_closing(marks: list[re.Match[str]]) -> list[int]:
    """Find for each mark the next mark that may close it, -1 for none."""
    following: dict[str, int] = {}
    closing = [-1] * len(marks)
    for at in range(len(marks) - 1, -1, -1):
        mark = marks[at]
        if mark[1] == "begin":
            if mark[2].rstrip("*") in _ENVIRONMENTS:
                closing[at] = following.get(f"\\end{{{mark[2]}}}", -1)
        elif mark[0] in _CLOSE:
            closing[at] = following.get(_CLOSE[mark[0]], -1)
        following[mark[0]] = at
    return closing


def formula_part(formula: Formula, shown: str = "") -> Part:
    """The part of a formula; `shown` is its text on the page."""
    facts: dict[str, Any] = {"tex": formula.tex, "display": formula.display}
    if formula.mathml:
        facts["mathml"] = formula.mathml
    return Part("formula", (shown or formula.shown,), facts)
