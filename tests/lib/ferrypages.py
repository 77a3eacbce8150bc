"""The paragraphs of an article, for pages that carry it as data."""

from __future__ import annotations

PARAGRAPHS = [
    "The ferry stayed in its harbour on Monday morning, since ice had covered the whole lake.",
    "Nobody had seen the water freeze so early in the year, said the captain to his passengers.",
    "They went home on foot, over the bridge, and came back when the sun had melted the ice.",
    "In the evening the bells rang, and the ferry left with all who had waited for it so long.",
    "The harbour was quiet after that, and the captain wrote the day into his old black book.",
]
