"""Pages of an invented site, for tests of what is known of sites."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from crfclean.page.blocks import split
from crfclean.types import Document, Label, Page, Tags

LONG = "{0} went down to the harbour that morning, and the ferry left without {0}, as ever."
NAMES = ["Anna", "Bruno", "Carla", "David", "Emil", "Franka", "Gustav", "Hana"]
NOTICE = "Readers who value our work support it with a gift of their own choice, large or small."


def site_page(name: str, text_class: str = "story", host: str = "ferry.example") -> str:
    """A page with a story of its own in an element of a class, and a notice that all pages have."""
    text = LONG.format(name)
    return (
        f"<html><head><link rel=canonical href='https://www.{host}/{name}'></head><body>"
        f"<ul class=menu><li><a href='/'>Home page</a></li></ul>"
        f"<div id=main class='wide tag-{name.lower()}'><h1>{name} and the ferry</h1>"
        f"<div class='{text_class}'><p>{text} {text}</p><p>{text[::-1]}</p>"
        f"<div class=gift><p>{NOTICE}</p></div></div></div></body></html>"
    )


def tagged(html: str, url: str | None = None) -> Document:
    """A page whose long paragraphs, and the notice, are text with 0.9, all else with 0.1."""
    blocks = split(Page(html, url))
    kept = np.array([0.9 if len(text) > 60 else 0.1 for text in blocks.texts])
    marginals = np.column_stack([0 * kept, kept, 1 - kept])
    labels = np.where(kept > 0.5, Label.TEXT, Label.OTHER).astype(np.int32)
    return Document(url, blocks, Tags(labels, marginals, 0.9))


def write_site(folder: Path, text_class: str = "story", host: str = "ferry.example") -> None:
    """The pages of a site in a folder, which is made."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in NAMES:
        (folder / f"{name}.html").write_text(site_page(name, text_class, host), "utf-8")
