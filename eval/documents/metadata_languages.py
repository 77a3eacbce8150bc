"""How often titles, authors and dates are right by the language that pages declare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eval.models.train_metadata import KINDS, AnnotatedPage

LEAST = 20  # annotated values of a language with figures of its own
Answers = dict[str, list[tuple[str, float]]]
"""Kind -> key and probability of what a system says of every page, "" for nothing."""


def answering(systems: Mapping[str, Answers], kind: str) -> dict[str, Answers]:
    """The systems that give a value of a kind on any page."""
    return {
        name: answers for name, answers in systems.items() if any(key for key, _ in answers[kind])
    }


def by_language(systems: Mapping[str, Answers], pages: Sequence[AnnotatedPage]) -> dict[str, Any]:
    """Kind -> language -> annotated values, and the share that each system gives."""
    languages = [declared_language(page) for page in pages]
    results: dict[str, Any] = {}
    for kind in KINDS:
        for language in sorted(set(languages)):
            at = [
                place
                for place, page in enumerate(pages)
                if languages[place] == language and page.right[kind]
            ]
            if len(at) >= LEAST:
                right = {
                    system: sum(said[kind][place][0] == pages[place].right[kind] for place in at)
                    for system, said in answering(systems, kind).items()
                }
                shares = {system: round(count / len(at), 3) for system, count in right.items()}
                results.setdefault(kind, {})[language] = {"values": len(at), **shares}
    return results


def declared_language(page: AnnotatedPage) -> str:
    """The language that the page's first element declares, "-" for none."""
    attributes = page.document.blocks.table.attributes
    return (attributes[0].get("lang", "") if len(attributes) else "")[:2].lower() or "-"
