"""HTML -> HTML that is safe to show: allow-listed elements, attributes and addresses, by nh3."""

from __future__ import annotations

from collections.abc import Mapping

import nh3

SCHEMES = {"http", "https", "mailto"}


def sanitise(html: str, attributes: Mapping[str, frozenset[str]]) -> str:
    """A fragment with the elements and attributes that a table names ("*": those of all), no more.

    Scripts and styles go with their text; of other elements the text stays.
    """
    return nh3.clean(
        html,
        tags={tag for tag in attributes if tag != "*"},
        attributes={tag: set(names) for tag, names in attributes.items() if names},
        url_schemes=SCHEMES,
        link_rel="noopener noreferrer nofollow",
    )
