r"""Find formulas that a page writes as TeX in its text: `\(x\)`, `\[x\]`, `$$x$$`, environments.

A single dollar sign marks a formula only where the page loads MathJax or KaTeX: elsewhere it is
money.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

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


class Span(NamedTuple):
    """A formula in a text: [start, end), with its delimiters."""

    start: int
    end: int
    formula: Formula


class RawFormulas(NamedTuple):
    """Finds the formulas in a page's texts; `typeset`: the page loads a program that shows them."""

    typeset: bool = False

    @classmethod
    def of(cls, nodes: Nodes) -> RawFormulas:
        """Whether a page loads MathJax or KaTeX, by its scripts and style sheets."""
        loaders = [node for node, tag in enumerate(nodes.tags) if tag in ("script", "link")]
        attributes = (nodes.attributes[node] for node in loaders)
        return cls(any(_LOADER.search(f"{of.get('src')} {of.get('href')}") for of in attributes))

    def pieces(self, text: str) -> Sequence[str | Part]:
        """A text, cut at its formulas."""
        return list(self._cut(text))

    def _cut(self, text: str) -> Iterator[str | Part]:
        at = 0
        for span in self._spans(text):
            if at < span.start:
                yield text[at : span.start]
            yield formula_part(span.formula, text[span.start : span.end])
            at = span.end
        if at < len(text):
            yield text[at:]

    def _spans(self, text: str) -> Iterator[Span]:
        """The formulas of a text, in order, each mark looked at a bounded number of times."""
        marks = [mark for mark in _MARKS.finditer(text) if mark[0] not in ("\\\\", "\\$")]
        closing = _next_closing(marks)
        at = 0
        while at < len(marks):
            close = closing[at]
            span = self._span(text, marks[at], marks[close]) if close >= 0 else None
            if span is not None:
                yield span
            at = at + 1 if span is None else close + 1

    def _span(self, text: str, begin: re.Match[str], end: re.Match[str]) -> Span | None:
        """The formula between two marks, None if it is none."""
        from crfclean.page.formulas import clean_tex  # few texts have such marks

        inner = text[begin.end() : end.start()]
        if begin[1]:
            tex = clean_tex(text[begin.start() : end.end()])
            return Span(begin.start(), end.end(), Formula(tex, display=True))
        if begin[0] == "$" and not (self.typeset and _hugs(inner, text[end.end() :][:1])):
            return None
        tex = clean_tex(inner)
        if not tex or "$" in tex or not (self.typeset or _TEX.search(inner)):
            return None
        return Span(begin.start(), end.end(), Formula(tex, display=begin[0] in _DISPLAY))


def _hugs(inner: str, following: str) -> bool:
    """Whether dollar signs stand as around a formula: no blank inside, no digit behind them."""
    return not (inner[:1].isspace() or inner[-1:].isspace() or following.isdigit())


def _next_closing(marks: list[re.Match[str]]) -> list[int]:
    """For each mark the next one that may close it, -1 for none."""
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
    """The part of a formula; `shown` is the text that stands for it."""
    facts: dict[str, Any] = {"tex": formula.tex, "display": formula.display}
    if formula.mathml:
        facts["mathml"] = formula.mathml
    return Part("formula", (shown or formula.shown,), facts)
