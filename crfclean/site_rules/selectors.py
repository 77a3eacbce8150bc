"""Write the CSS selectors of elements as XPath."""

from __future__ import annotations

LANDMARKS = frozenset("main article section header footer nav aside".split())
"""Elements that name a place without an id or a class."""


def xpath_of(step: str) -> str:
    """The XPath of a selector, for any element of a page.

    >>> xpath_of("div#main"), xpath_of("main")
    ("//div[@id='main']", '//main')
    >>> xpath_of("div.post")
    "//div[contains(concat(' ', normalize-space(@class), ' '), ' post ')]"
    """
    tag, _, identity = step.partition("#")
    if identity:
        return f"//{tag}[@id='{identity}']"
    tag, *classes = step.split(".")
    held = "contains(concat(' ', normalize-space(@class), ' '), ' {} ')"
    conditions = " and ".join(held.format(name) for name in classes)
    return f"//{tag}[{conditions}]" if conditions else f"//{tag}"
