"""Read what inline elements put into a line: pictures, readings, links and other marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crfclean.page.urls import Addresses, picture_source
from crfclean.structure.kinds import MARK_KINDS
from crfclean.structure.line import Mark
from crfclean.structure.notes import Notes
from crfclean.structure.parts import Part
from crfclean.structure.selection import Selection
from crfclean.types import Nodes

_ANCHOR_SIGNS = frozenset(["#", "¶", "§", "🔗", "⚓", "⚓︎", "∞"])


@dataclass(frozen=True, repr=False, eq=False)
class InlineParts:
    """The inline elements of a page, as parts and marks."""

    selection: Selection
    addresses: Addresses
    notes: Notes

    @property
    def _nodes(self) -> Nodes:
        return self.selection.page.nodes

    def image(self, node: int) -> Part | None:
        """A picture; None if it is not selected, has no address or is a `data:` URL."""
        if node not in self.selection.pictures:
            return None
        attributes = self._nodes.attributes[node]
        source = self.addresses.absolute(picture_source(attributes))
        if not source:
            return None
        alt, title = (" ".join((attributes.get(name) or "").split()) for name in ("alt", "title"))
        facts = {"source": source, "description": alt, "title": title}
        return Part("image", (), {name: text for name, text in facts.items() if text}, node)

    def reading(self, node: int, marks: Sequence[Mark]) -> Part | None:
        """The reading of the text before it; None outside a ruby."""
        text = " ".join(self.selection.page.runs.readings.get(node, "").split())
        if not text or not marks or marks[-1].kind != "ruby":
            return None
        return Part("reading", (), {"text": text}, node)

    def mark(self, node: int, tag: str, marks: Sequence[Mark]) -> Mark | None:
        """The mark that an element puts around its text inside others, None for none."""
        if node in self.notes.references:
            return Mark("note", node, {"id": self.notes.references[node]})
        if tag == "a":
            return self._link(node, marks)
        kind = MARK_KINDS.get(tag)
        if kind is None or node in self.notes.superscripts:
            return None
        return None if any(mark.kind == kind for mark in marks) else Mark(kind, node)

    def is_left_out(self, node: int, *, in_heading: bool) -> bool:
        """Whether a link shows nothing of its own: back from a footnote, or to its heading."""
        if node in self.notes.references:
            return False
        return node in self.notes.back_links or (
            in_heading and self._leads_here(node) and self._is_anchor_sign(node)
        )

    def leads_to_heading(self, node: int, *, in_heading: bool) -> bool:
        """Whether a link is an anchor of the heading that it stands in."""
        return in_heading and node not in self.notes.references and self._leads_here(node)

    def _leads_here(self, node: int) -> bool:
        return bool(self.addresses.fragment(self._nodes.attributes[node].get("href")))

    def _link(self, node: int, marks: Sequence[Mark]) -> Mark | None:
        attributes = self._nodes.attributes[node]
        address = self.addresses.absolute(attributes.get("href"))
        if not address or any(mark.kind in ("link", "note") for mark in marks):
            return None
        title = " ".join((attributes.get("title") or "").split())
        return Mark("link", node, {"address": address} | ({"title": title} if title else {}))

    def _is_anchor_sign(self, node: int) -> bool:
        """Whether an element shows one of the signs of anchors and nothing else."""
        runs, end = self.selection.page.runs, int(self._nodes.end[node])
        first, last = np.searchsorted(runs.after, [node + 1, end + 1]).tolist()
        if last - first > 3:
            return False
        texts = (runs.texts[at] for at in range(first, last) if node <= runs.node[at] < end)
        return "".join(texts).strip() in _ANCHOR_SIGNS
