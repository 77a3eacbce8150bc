"""Keep the texts of elements that are no text of the page: title, structured data, readings."""

from __future__ import annotations

from dataclasses import dataclass, field

from crfclean.page.limits import MAX_JSON_LD_CHARS

JSON_LD = "json-ld"
"""What stands for the tag of a script with structured data."""


@dataclass(slots=True)
class SkippedTexts:
    """The texts so far; `tag` is the element that is being skipped.

    `readings` are the texts of the `rt` elements of rubies by their indices; of several titles the
    first counts; `noscript_chars` counts the characters of `noscript` elements.
    """

    tag: str = ""
    titles: int = 0
    title: list[str] = field(default_factory=list)
    json_ld: list[str] = field(default_factory=list)
    json_ld_chars: int = 0
    noscript_chars: int = 0
    readings: dict[int, str] = field(default_factory=dict)

    def begin(self, tag: str, node: int) -> None:
        """Skip an element; its index is -1 if it is in no table."""
        self.tag = tag
        self.titles += tag == "title"
        if tag == JSON_LD:
            self.json_ld.append("")
        elif tag == "rt":
            self.readings[node] = ""

    def add(self, text: str) -> None:
        """Take a text inside the element."""
        if self.tag == "title" and self.titles == 1:
            self.title.append(text)
        elif self.tag == "noscript":
            self.noscript_chars += len(text.strip())
        elif self.tag == "rt":
            self.readings[next(reversed(self.readings))] += text
        elif self.tag == JSON_LD:
            self.json_ld_chars += len(text)
            if self.json_ld_chars <= MAX_JSON_LD_CHARS:
                self.json_ld[-1] += text
