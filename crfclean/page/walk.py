"""Walk the parser's events and fill the table of a page's elements, runs and blocks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from crfclean.page.chars import shows
from crfclean.page.code_marks import LINE_END
from crfclean.page.controls import visible, visible_formula
from crfclean.page.elements import (
    ADD_SPACE,
    BREAK,
    CODE_LINE,
    DROP,
    FLEXIBLE,
    LINK,
    READINGS,
    ROOT,
    SPLIT,
    TEXT,
    actions,
    displayed,
    hides,
    sets_apart,
)
from crfclean.page.limits import MAX_DEPTH
from crfclean.page.open_code import OpenCode
from crfclean.page.page_table import PageTable
from crfclean.page.skipped_texts import SkippedTexts, skipped_as
from crfclean.page.walk_params import WalkParams
from crfclean.types import Blocks, Formula, Page

NO_ATTRIBUTES: Mapping[str, str] = {}  # one for all elements without any


@dataclass(slots=True, eq=False)
class Walk:
    """The state of one parse: the table so far, and what is still open.

    A flexible element proves block-level where a boundary begins inside it: `holders` has these.
    If one is `torn`, text before it has been joined with its own.
    """

    params: WalkParams
    table: PageTable = field(init=False)
    actions: dict[str, int] = field(init=False)
    hides: Callable[[str, Mapping[str, str]], bool] = field(init=False)
    holders: list[int] = field(default_factory=list)
    torn: bool = False
    truncated: str = ""
    chars: int = 0
    roots: dict[str, int] = field(default_factory=dict)
    closed: list[int] = field(default_factory=list)
    path: list[int] = field(default_factory=list)
    boundaries: list[int] = field(default_factory=list)
    flexible: list[tuple[int, int]] = field(default_factory=list)  # open ones, runs before each
    pre: int = 0
    code: OpenCode = field(init=False)
    has_code: bool = field(init=False)
    skipped: int = 0
    aside: SkippedTexts = field(default_factory=SkippedTexts)
    too_deep: int = 0
    pending: int = 0
    has_text: bool = False
    after_br: bool = False
    after: int = 0  # action of the element that has ended right before
    split_bits: int = 0

    def __post_init__(self) -> None:
        self.table = PageTable(self.params.max_blocks)
        self.actions = actions(self.params.elements, self.params.dropped)
        self.hides = hides(self.params.hidden, self.params.opened)
        self.code, self.has_code = OpenCode(self.params.code), self.params.code.is_cut

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Enter an element."""
        if self.skipped == 1 and self.aside.ends_before(tag):
            self.skipped = 0
        if self.skipped:
            self.skipped += 1
            return
        if self.params.controls:
            tag = visible(tag)
            attributes = {visible(name): visible(text) for name, text in attributes.items()}
        action = self._action(tag, attributes)
        if action == ROOT and tag in self.roots:  # a second one: its content belongs to the first
            return
        self._enter(tag, action, attributes)

    def _action(self, tag: str, attributes: Mapping[str, str]) -> int:
        """What an element does to the text, by its name, its style and what it holds."""
        is_shown = tag == "template" and "shadowrootmode" in attributes
        action = FLEXIBLE if is_shown else self.actions.get(tag, FLEXIBLE)
        if self.params.elements:
            return TEXT if action == FLEXIBLE else action
        if "style" in attributes:
            action = displayed(action, attributes["style"])
        node = len(self.table.tags)
        if action == FLEXIBLE and node in self.params.block_level and not self.code.unit:
            action = SPLIT["block"]
        return self.code.action(node, action) if self.has_code else action

    def _enter(self, tag: str, action: int, attributes: Mapping[str, str]) -> None:
        if len(self.path) >= MAX_DEPTH:
            self.truncated = "depth"
            self.too_deep += 1
        if tag == "img" and action > 0:  # a picture on a line of its own holds no text
            self._separate(action)
            action = TEXT
        asked = action == DROP or attributes or tag == "dialog"
        skipped = skipped_as(tag, action, attributes, self.hides) if asked else ""
        if not skipped:
            self._separate(action)
        if not self.too_deep:
            self._add(tag, action, attributes or NO_ATTRIBUTES)
        if skipped:
            self._skip(skipped)

    def _separate(self, action: int) -> None:
        """Close the open block, or add white space where only a line or word ends."""
        if action > 0:
            if self.flexible:
                self._promote()
            self._flush(action)
        elif action == BREAK:
            self._line_break()
        elif action == CODE_LINE and self.pending:
            self.data(LINE_END)
        elif action == ADD_SPACE or (self.after < 0 < self.pending and self._stands_apart(action)):
            self.data(" ")

    def _stands_apart(self, action: int) -> bool:
        """Whether styles separate an inline element from the one that has ended right before."""
        if action == LINK and self.after == LINK:
            return True
        return bool(self.path) and not self.pre and sets_apart(self.table.attributes[self.path[-1]])

    def _promote(self) -> None:
        """Make the open flexible elements block-level: a boundary begins inside them."""
        for node, runs_before in self.flexible:
            self.table.make_block_level(node)
            self.boundaries.append(node)
            self.holders.append(node)
            self.torn |= len(self.table.run_texts) - self.pending < runs_before
        self.flexible.clear()
        self.split_bits |= SPLIT["block"]

    def _add(self, tag: str, action: int, attributes: Mapping[str, str]) -> None:
        parent = self.path[-1] if self.path else -1
        node = self.table.add_node(tag, action, attributes, parent)
        self.path.append(node)
        if action > 0 or action == ROOT:
            self.boundaries.append(node)
        elif action == FLEXIBLE:
            self.flexible.append((node, len(self.table.run_texts)))
        if action == ROOT:
            self.roots[tag] = node
        elif tag == "pre" and not self.pre:
            self.pre = len(self.path)
        if self.has_code:
            self.code.enter(node, len(self.path))

    def _skip(self, tag: str) -> None:
        """Skip the element just entered, with its content."""
        self.skipped = 1
        self.aside.begin(tag, -1 if self.too_deep else self.path[-1])
        if self.too_deep:
            self.too_deep -= 1
            return
        node = self._pop()
        if self.boundaries and self.boundaries[-1] == node:
            self.boundaries.pop()
        if self.flexible and self.flexible[-1][0] == node:
            self.flexible.pop()

    def _pop(self) -> int:
        """Take the innermost open element off the path, with what holds inside it alone."""
        node = self.path.pop()
        if len(self.path) < self.pre:
            self.pre = 0
        if self.has_code:
            self.code.leave(len(self.path))
        return node

    def _line_break(self) -> None:
        """Close the block at a second line break in a row; a single one is white space."""
        if self.after_br and not self.params.elements and not self.code.unit:
            self._flush(SPLIT["br"])
        if not self.has_text:
            self.split_bits |= SPLIT["br"]
        self.after_br = True
        self.data(" ")

    def end(self, tag: str) -> None:
        """Leave an element."""
        if self.skipped:
            self.skipped -= 1
            return
        if self.params.controls:
            tag = visible(tag)
        action = self.actions.get(tag, FLEXIBLE)
        if action == DROP and tag in READINGS:
            return  # of a reading that has ended before
        if action == ROOT:  # what follows `</body>` belongs to `body`
            self._flush(0)
        elif self.too_deep:
            self.too_deep -= 1
            if action > 0 or action == ADD_SPACE:
                self._separate(self.code.action(-1, action))
        elif self.path:
            action = self.table.actions[self.path[-1]]
            self._end_node(action)
        self.after = action

    def _end_node(self, action: int) -> None:
        node = self._pop()
        if action > 0:
            self._flush(action)
            self.boundaries.pop()
        elif action in (ADD_SPACE, CODE_LINE):
            self._separate(action)
        elif action == FLEXIBLE:
            self.flexible.pop()
        self._close_node(node)

    def _close_node(self, node: int) -> None:
        self.table.node_end[node] = len(self.table.tags)
        self.table.end_block[node] = len(self.table.texts) + self.has_text
        if self.has_text:
            self.closed.append(node)

    def data(self, text: str) -> None:
        """Take a run of text."""
        if self.params.controls and not (text := visible(text)):
            return
        if self.skipped:
            self.aside.add(text)
            return
        if self.code.numbers:
            self.table.discard(text, self.path[-1])
            return
        blank = text.isspace()
        if blank and not self.pending:
            if self.pre:
                self.table.add_blank(text, self.path[-1])
            return
        self.after = 0
        if not blank:
            self.has_text, self.after_br = True, False
            self.chars += len(text)
        self.table.add_run(text, self.path[-1] if self.path else self.roots.get("body", 0))
        self.pending += 1

    def formula(self, formula: Formula) -> None:
        """Take a formula as a run of text; one that shows nothing is none."""
        if self.params.controls:
            formula = visible_formula(formula)
        if formula.shown.strip() and not self.skipped:
            self.table.formulas[len(self.table.run_texts)] = formula
            self.data(formula.shown)

    def _flush(self, bits: int) -> None:
        """Close the open block, if it shows any text; note what separates it from the next."""
        if self.pending:
            runs = self.table.run_texts
            text = " ".join("".join(runs[-self.pending :]).split())
            if text == runs[-1]:
                text = runs[-1]  # one text in memory
            if self.has_text and self._in_elements() and shows(text):
                node = self.boundaries[-1] if self.boundaries else 0
                self.table.add_block(text, node, self.split_bits, self.pending)
                self.split_bits = 0
            else:
                self._discard()
            self.pending, self.has_text, self.after_br = 0, False, False
            self.closed.clear()
        self.split_bits |= bits

    def _discard(self) -> None:
        """Discard the open text; the elements that it was in have no block."""
        self.table.discard_runs(self.pending)
        for node in self.closed:
            self.table.end_block[node] = len(self.table.texts)

    def _in_elements(self) -> bool:
        """Whether the open text is inside one of the chosen elements, if there are any."""
        chosen, inside = self.params.elements, self.boundaries
        return not chosen or (bool(inside) and self.table.tags[inside[-1]] in chosen)

    def close(self) -> Walk:
        """End the page."""
        self._flush(0)
        for node in self.path:
            self._close_node(node)
        return self

    def blocks(self, page: Page) -> Blocks:
        """The result, frozen."""
        truncated = page.truncated or self.truncated
        return self.table.blocks(
            self.aside, self.params.elements, truncated, self.params.code.units
        )
