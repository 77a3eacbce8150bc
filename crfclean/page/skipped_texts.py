"""Keep the texts of elements that are no text of the page: title, structured data, readings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from crfclean.page.elements import DROP, READINGS, is_json_ld
from crfclean.page.limits import MAX_JSON_LD_CHARS

JSON_LD = "json-ld"
"""What stands for the tag of a script with structured data."""

HIDDEN = "hidden"
"""What stands for the tag of a hidden element."""

_RUBY = READINGS | {"rb", "ruby"}


def skipped_as(
    tag: str,
    action: int,
    attributes: Mapping[str, str],
    hides: Callable[[str, Mapping[str, str]], bool],
) -> str:
    """The tag by which an element is skipped, or what stands for it; "" if it is read.

    `hides` tells elements that are hidden from the reader, and are not read.
    """
    if action == DROP:
        return JSON_LD if is_json_ld(tag, attributes) else tag
    may_hide = attributes or tag == "dialog"
    return HIDDEN if may_hide and hides(tag, attributes) else ""


@dataclass(slots=True, eq=False)
class SkippedTexts:
    """The texts so far; `tag` is the element that is being skipped.

    `readings` are the texts of the `rt` elements of rubies by their indices; of several titles the
    first counts; `noscript_chars` counts the characters of `noscript`, `hidden` those of hidden
    elements by their indices. `node` is the index of the element that is being skipped.
    """

    tag: str = ""
    titles: int = 0
    title: list[str] = field(default_factory=list)
    json_ld: list[str] = field(default_factory=list)
    json_ld_chars: int = 0
    noscript_chars: int = 0
    hidden: dict[int, int] = field(default_factory=dict)
    node: int = -1
    readings: dict[int, str] = field(default_factory=dict)

    def begin(self, tag: str, node: int) -> None:
        """Skip an element; its index is -1 if it is in no table."""
        self.tag, self.node = tag, node
        self.titles += tag == "title"
        if tag == JSON_LD:
            self.json_ld.append("")
        elif tag == "rt":
            self.readings[node] = ""

    def add(self, text: str) -> None:
        """Take a text inside the element."""
        if self.tag == "title" and self.titles == 1:
            self.title.append(text)
        elif self.tag == HIDDEN:
            if chars := len(text.strip()):
                self.hidden[self.node] = self.hidden.get(self.node, 0) + chars
        elif self.tag == "noscript":
            self.noscript_chars += len(text.strip())
        elif self.tag == "rt":
            self.readings[next(reversed(self.readings))] += text
        elif self.tag == JSON_LD:
            self.json_ld_chars += len(text)
            if self.json_ld_chars <= MAX_JSON_LD_CHARS:
                self.json_ld[-1] += text

    def ends_before(self, tag: str) -> bool:
        """Whether the skipped element is a reading that this one ends, without its end tag."""
        return self.tag in READINGS and tag in _RUBY
