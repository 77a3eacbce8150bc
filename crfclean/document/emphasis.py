"""Tell which inline elements are bold or italic by their styles."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from crfclean.types import Blocks

# `<span style="font-weight:700">`; Google Docs writes `<span class="c1">` and a style sheet.
# Its clipboard wraps whole texts in `<b style="font-weight:normal">`, which is not bold.
_DECLARED: Mapping[str, re.Pattern[str]] = {
    "strong": re.compile(
        r"(?i)(?<![\w-])font-weight\s*:\s*(?:(?P<on>bold(?:er)?|[6-9]00)|normal|lighter|[1-5]00)\b"
    ),
    "emphasis": re.compile(r"(?i)(?<![\w-])font-style\s*:\s*(?:(?P<on>italic|oblique)|normal)\b"),
}
"""Kind of mark -> what a style says of it."""

Styled = Mapping[int, Mapping[str, bool]]


def styled_elements(page: Blocks) -> Styled:
    """Map inline elements to the kinds of marks that their style sets (True) or ends (False)."""
    table, of_element = page.table, dict[int, dict[str, bool]]()
    by_class = {name: _declared(rules) for name, rules in page.class_rules.items()}
    if by_class:
        names = [_merged(by_class, classes) for classes in table.classes]
        numbers = table.class_number
        named = np.array([bool(of) for of in names], np.bool_)[numbers] & table.is_inline
        of_element |= {node: names[numbers[node]] for node in np.flatnonzero(named).tolist()}
    which, styles = table.attribute("style")
    own = [_declared(style) if "font-" in style.lower() else {} for style in styles]
    has_own = np.array([bool(of) for of in own], np.bool_)[which] & table.is_inline
    for node in np.flatnonzero(has_own).tolist():
        of_element[node] = of_element.get(node, {}) | own[which[node]]
    return of_element


def _merged(by_class: Mapping[str, Mapping[str, bool]], classes: str) -> dict[str, bool]:
    """What the classes of an element say, a bold one before one that is not."""
    found = [by_class[name] for name in classes.split() if name in by_class]
    return {
        kind: any(of.get(kind) for of in found)
        for kind in _DECLARED
        if any(kind in of for of in found)
    }


def _declared(style: str) -> dict[str, bool]:
    """Kind of mark -> whether a style sets it; kinds that it does not name are left out.

    >>> _declared("font-weight:700; font-style : normal")
    {'strong': True, 'emphasis': False}
    """
    found = ((kind, list(pattern.finditer(style))) for kind, pattern in _DECLARED.items())
    return {kind: bool(matches[-1]["on"]) for kind, matches in found if matches}
