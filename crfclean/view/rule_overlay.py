"""Describe a page for the page view by the rules of its site: what they alone would keep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from crfclean.site_rules.known import KnownSite
from crfclean.site_rules.matching import blocks_in, field_block, region_on
from crfclean.site_rules.stable import block_paths, text_digest
from crfclean.site_rules.values import TEXT_SHARE, Place, Region, SiteRules
from crfclean.types import Blocks, Document, Label, Page
from crfclean.view.overlay import block_facts, described, shown_blocks
from crfclean.view.paint import paint_of

TEXT, LEFT_OUT, REPEATS = "text", "left out", "repeats"
"""Marks of blocks, beside the names of fields."""


@dataclass(slots=True)
class _Ruling:
    """What the rules say of a block: its mark, and words that speak for keeping it and against."""

    kept: bool = False
    mark: str = ""
    speaks_for: list[str] = field(default_factory=list)
    against: list[str] = field(default_factory=list)


def rules_view(page: Page, document: Document, rules: SiteRules) -> dict[str, Any]:
    """Describe a page as JSON values as `overlay.view_of` does, its blocks by a site's rules.

    A block is kept if it stands in the element of the site's text, in none that is left out, and
    does not repeat; its probability is that of `document`.
    """
    rulings = _rulings(document.blocks, rules)
    kept = np.array([ruling.kept for ruling in rulings], bool)
    labels = np.where(kept, int(Label.TEXT), int(Label.OTHER)).astype(np.int32)
    status = "ok" if kept.any() else "nothing-kept"
    ruled = replace(document, tags=replace(document.tags, labels=labels), status=status)
    shown = shown_blocks(ruled)
    paint = paint_of(ruled, shown, [(ruling.mark, 0.0) for ruling in rulings])
    likely = document.tags.probabilities.tolist()
    facts = enumerate(block_facts(ruled, shown))
    rows = [_block(rulings[block], likely[block], fact) for block, fact in facts]
    view = described(page, ruled, paint, rows)
    about = f"The rules of {rules.site} alone keep {view['kept']:,} of {view['total']:,} blocks. "
    return {**view, "about": about}


def _block(ruling: _Ruling, probability: float, facts: dict[str, Any]) -> dict[str, Any]:
    words = (ruling.speaks_for, ruling.against)
    because, but = words if ruling.kept else words[::-1]
    return {
        "kept": ruling.kept,
        "probability": round(probability, 4),
        **facts,
        "because": because,
        "but": but,
        "figures": [],
    }


def _rulings(blocks: Blocks, rules: SiteRules) -> list[_Ruling]:
    """What the rules say of each block."""
    rulings = [_Ruling() for _ in range(len(blocks))]
    _rule_by_elements(rulings, blocks, rules)
    _rule_by_texts(rulings, blocks, rules)
    _add_places(rulings, blocks, rules)
    for place in rules.fields:
        block = field_block(blocks, place)
        if block is not None:
            rulings[block].mark = place.field
            rulings[block].speaks_for.append(
                f"The site shows the {place.field} here, on {place.pages} of {rules.pages} pages."
            )
    return rulings


def _rule_by_elements(rulings: Sequence[_Ruling], blocks: Blocks, rules: SiteRules) -> None:
    """Keep what stands in the element of the text, but not in those that are left out."""
    region, inside = region_on(blocks, rules.text)
    strips = [(strip, blocks_in(blocks, strip.css)) for strip in rules.strip]
    for block, ruling in enumerate(rulings):
        if region is None or not inside[block]:
            ruling.against.append("It stands in no element that holds the site's text.")
            continue
        ruling.kept, ruling.mark = True, TEXT
        ruling.speaks_for.append(f"It stands in {region.css}, {_text_words(region)}.")
        for strip, stripped in strips:
            if stripped[block]:
                ruling.kept, ruling.mark = False, LEFT_OUT
                ruling.against.append(f"It stands in {strip.css}, {_strip_words(strip)}.")


def _text_words(region: Region) -> str:
    return (
        f"which holds the text: expected precision {region.precision:.2f}, recall "
        f"{region.recall:.2f}, on {region.pages} pages"
    )


def _strip_words(region: Region) -> str:
    return f"which is left out: {region.precision:.0%} of it is text, on {region.pages} pages"


def _rule_by_texts(rulings: Sequence[_Ruling], blocks: Blocks, rules: SiteRules) -> None:
    """Drop the texts that the site repeats."""
    holders = {text.digest: text.pages for text in rules.repeated}
    for ruling, text in zip(rulings, blocks.texts, strict=True):
        pages = holders.get(text_digest(text))
        if pages:
            ruling.mark = REPEATS if ruling.kept else ruling.mark
            ruling.kept = False
            ruling.against.append(f"Its text stands on {pages} of {rules.pages} pages.")


def _add_places(rulings: Sequence[_Ruling], blocks: Blocks, rules: SiteRules) -> None:
    """Say what the model keeps at the place of each block."""
    by_path = {place.path: place for place in rules.places}
    paths = block_paths(blocks, KnownSite(rules).names)
    for ruling, path in zip(rulings, paths, strict=True):
        place = by_path.get(path)
        if place is not None:
            side = ruling.speaks_for if place.kept >= TEXT_SHARE else ruling.against
            side.append(_place_words(place))


def _place_words(place: Place) -> str:
    return f"At {place.path} the model keeps {place.kept:.0%} of the words, on {place.pages} pages."
