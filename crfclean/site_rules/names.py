"""Tell which site a page is of: by its URL, or the address that it declares."""

from __future__ import annotations

from crfclean.page.urls import host
from crfclean.types import Blocks


def site_of(url: str | None, blocks: Blocks) -> str:
    """The host of a page without "www.", "" if neither its URL nor the page tells."""
    name = host(url) or host(declared_address(blocks))
    return name.removeprefix("www.")


def declared_address(blocks: Blocks) -> str:
    """The address in a page's canonical link, or else its `og:url`; "" without them."""
    nodes, shared = blocks.nodes, ""
    for tag, attributes in zip(nodes.tags, nodes.attributes, strict=True):
        if tag == "body":
            break
        if tag == "link" and attributes.get("rel", "").lower() == "canonical":
            return attributes.get("href", "")
        if tag == "meta" and attributes.get("property") == "og:url":
            shared = shared or attributes.get("content", "")
    return shared
