"""Make HTML safe to show: nh3 keeps only allow-listed elements, attributes and URL schemes."""

from __future__ import annotations

from collections.abc import Mapping

import nh3

_SCHEMES = {"http", "https", "mailto"}


def sanitise(html: str, attributes: Mapping[str, frozenset[str]]) -> str:
    """Return a fragment with only the elements and attributes of a table ("*" stands for all).

    Scripts and styles go with their text; the text of other elements stays.
    """
    return nh3.clean(
        html,
        tags={tag for tag in attributes if tag != "*"},
        attributes={tag: set(names) for tag, names in attributes.items() if names},
        url_schemes=_SCHEMES,
        link_rel="noopener noreferrer nofollow",
    )
