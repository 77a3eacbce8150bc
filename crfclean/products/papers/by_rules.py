"""Label blocks without a model: by the main one of a page's coherent texts, or an expert system."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import ClassVar

import numpy as np

from crfclean.decision.evidence import Evidence, find_comment_heading, text_end
from crfclean.decision.rules import expected_f1
from crfclean.io import digest_of
from crfclean.page.blocks import as_blocks
from crfclean.page.data_tables import find_text_tables, outermost
from crfclean.page.elements import Elements, elements
from crfclean.page.measures import Measures, measured
from crfclean.page.selectors import chosen
from crfclean.products.papers.article import (
    NO_HEADING,
    ArticleParams,
    Candidates,
    Inside,
    MainHeading,
    agrees_with_title,
    find_best_header,
    find_headline,
    find_max_text,
    find_parts,
    find_pictures,
    of_block,
    of_element,
)
from crfclean.products.papers.coherent import (
    EnergyParams,
    LinkParams,
    SegmentParams,
    TextTree,
    coherent_nodes,
    segments_of,
    text_tree,
)
from crfclean.rules import Conclusion, Step, trace_text
from crfclean.shell import html_document, policy, read_asset
from crfclean.systems.load import elements_of
from crfclean.types import (
    Blocks,
    Bools,
    Document,
    Floats,
    Ints,
    Label,
    Page,
    Reason,
    Segment,
    Tags,
    check_bounds,
    option,
)

# draw all coherent texts of a page; the drawing has only escaped text, and loads nothing

GOLDEN_ANGLE = 137.508  # degrees between hues: adjacent texts differ most


def to_picture(document: Document, params: SegmentParams) -> str:
    """An HTML page with the coherent texts in page order; blocks of the document are bold."""
    tree = text_tree(document.blocks)
    segments = segments_of(document.blocks, params, document.tags)
    title = document.blocks.title or document.url or "page"
    summary = f"{len(segments)} coherent texts by {params.method}, tree of {len(tree)} nodes"
    body = (
        f"<body><header><h1>{escape(title)}</h1><p>{summary}, height {tree.height}</p></header>"
        f"<main>{''.join(_texts(segments))}</main></body>"
    )
    return html_document(title, f"{policy()}<style>\n{read_asset('segments.css')}</style>", body)


def _texts(segments: Sequence[Segment]) -> Iterator[str]:
    """The coherent texts, each with its path, its size and a paragraph per block."""
    for number, segment in enumerate(segments):
        yield f'<div class="s" style="--h:{number * GOLDEN_ANGLE % 360:.0f}">'
        yield f"<small>{escape(segment.xpath)} · {segment.size} characters"
        yield f" · {segment.link_share:.0%} in links</small>"
        for line, label in zip(segment.text.split("\n"), segment.labels, strict=True):
            yield f"<p{' class=k' if label != Label.OTHER else ''}>{escape(line)}</p>"
        yield "</div>"


# pick the main text among a page's coherent texts, and label its blocks


@dataclass(frozen=True, slots=True)
class MainParams:
    """Parameters for picking the main text.

    `kept` and `left` are the probabilities of picked and of other blocks: the shares of their words
    that are gold on wcxb-dev (eval/segments). Rules give the same probability to all of them.
    """

    running_chars: int = option(80, "characters outside links that make a block running text")
    growth: float = option(1.3, "how much more running text a node above must have to be taken")
    kept: float = option(0.8, "probability of a picked block")
    left: float = option(0.17, "probability of another block")

    def __post_init__(self) -> None:
        check_bounds(self, {"kept": (0, 1), "left": (0, 1), "growth": (1, float("inf"))})


def running_text(tree: TextTree, least: int) -> Floats:
    """Count the characters of running text at and inside each node, shape (N,).

    Running text is text outside links, of blocks that `TextTree.large_blocks` marks.
    """
    outside = np.where(tree.in_link[tree.leaves], 0.0, tree.chars[tree.leaves])
    large = tree.large_blocks(least)
    return tree.held(tree.of_leaves(np.where(large[tree.block], outside, 0.0)))


def main_nodes(tree: TextTree, nodes: Sequence[int], params: MainParams = MainParams()) -> Bools:
    """Mark the coherent nodes that are the main text, shape (len(nodes),).

    The main text is the first node with the most running text; if none has running text, the one
    with the most text outside links. It may be part of a longer text. So every ancestor with
    `growth` times the running text of the last choice replaces it, with all coherent texts inside
    that have running text.
    """
    if not len(nodes):
        return np.zeros(0, np.bool_)
    coherent = np.array(nodes)
    running, unlinked = running_text(tree, params.running_chars), tree.chars - tree.link_chars
    best = int(np.lexsort((-coherent, unlinked[coherent], running[coherent]))[-1])
    top = above = int(coherent[best])
    while (above := int(tree.parent[above])) >= 0:
        if running[above] > 0 and running[above] >= params.growth * running[top]:
            top = above
    picked: Bools = (coherent >= top) & (coherent < tree.end[top]) & (running[coherent] > 0)
    picked[best] = True
    return picked


def tag_main_text(
    blocks: Blocks, segments: SegmentParams, params: MainParams = MainParams()
) -> Tags:
    """Tags that keep the blocks with at least half of their characters in the main text."""
    page, tree = measured(blocks), text_tree(blocks)
    nodes = coherent_nodes(tree, segments)
    chosen = [nodes[index] for index in np.flatnonzero(main_nodes(tree, nodes, params))]
    return tags_of(page, _mostly_inside(tree, chosen), params)


def _mostly_inside(tree: TextTree, nodes: Sequence[int]) -> Bools:
    """Mark blocks with at least half of their characters inside the nodes, shape (n,)."""
    count = len(tree.page)
    inside = np.zeros(len(tree.texts), np.bool_)
    for node in nodes:
        inside[slice(*tree.bounds(node))] = True
    chars = tree.chars[tree.leaves]
    totals = np.bincount(tree.block, chars, count)
    covered = np.bincount(tree.block[inside], chars[inside], count)
    mostly: Bools = (covered >= 0.5 * totals) & (covered > 0)
    return mostly


def tags_of(page: Measures, keep: Bools, params: MainParams, heading: Sequence[int] = ()) -> Tags:
    """Return tags that keep blocks (n,); blocks in headings or in `heading` are HEADER."""
    probability = np.where(keep, params.kept, params.left)
    kind = np.where(page.table.in_heading, Label.HEADER, Label.TEXT) if len(page) else _NO_LABELS
    kind[list(heading)] = Label.HEADER
    marginals = np.zeros((len(page), len(Label)))
    marginals[np.arange(len(page)), kind] = probability
    marginals[:, Label.OTHER] = 1.0 - probability
    labels = np.where(keep, kind, Label.OTHER).astype(np.int32)
    words = page.words if len(page) else np.zeros(0)
    return Tags(labels, marginals, expected_f1(1.0 - marginals[:, Label.OTHER], words, keep))


_NO_LABELS: Ints = np.zeros(0, np.int32)


# taggers that find coherent texts by node energy (`energy`) or by rules on links (`links`)

_LINKS = LinkParams(stray_share=0.05, frame_texts=0)
"""Unlike for coherent texts, paragraphs of a frame are not joined. The choice of the main text can
join its parts, but cannot leave out links between them (0.012 of F1 on news, eval/segments)."""

_PARAMS: Mapping[str, SegmentParams] = {
    "energy": SegmentParams("energy", energy=EnergyParams(dissipation=4.0)),
    "links": SegmentParams("links", links=_LINKS),
}
"""Name of a tagger -> its parameters for finding coherent texts."""


@dataclass(frozen=True)
class SegmentTagger:
    """A method that finds coherent texts and picks the main one, without a model."""

    segments: SegmentParams
    main: MainParams = field(default_factory=MainParams)

    @property
    def name(self) -> str:
        """The method: "energy" or "links"."""
        return self.segments.method

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits of the parameters."""
        return digest_of({"tagger": self.name, "segments": self.segments, "main": self.main})

    def tag(self, blocks: Blocks | Page | bytes | str) -> Tags:
        """Keep the blocks of the main text."""
        blocks = as_blocks(blocks, elements_of(self))
        tags, params = tag_main_text(blocks, self.segments, self.main), self.segments
        if not (params.within or params.drop):
            return tags
        choice = chosen(blocks, params.within, params.drop)
        labels = np.where(choice.outside, Label.OTHER, tags.labels).astype(np.int32)
        return replace(tags, labels=labels, chosen=choice.elements, unmatched=choice.unmatched)

    def coherent_texts(self, blocks: Blocks, tags: Tags) -> list[Segment]:
        """The coherent texts by the method with its default parameters, as `segment` has them."""
        return segments_of(blocks, SegmentParams(self.name), tags)


def from_name(name: str, within: str = "", drop: str = "") -> SegmentTagger | ExpertTagger:
    """A tagger by its name, those for coherent texts with CSS selectors."""
    if name not in _PARAMS:
        return ExpertTagger()
    return SegmentTagger(replace(_PARAMS[name], within=within, drop=drop))


# label blocks by the expert system: main heading, main article, comments, pictures
#
# After Golovko and Lapin, "Representative and role model of the web page content" (2015): each step
# of the algorithm runs once, and later steps accept its conclusion.

_COMMENT_CHARS = 20  # outside links after the comments' heading; fewer are no comment
PARTS = "parts of the article"
OF_BLOCKS = frozenset(["comments' heading", "headline above the article", PARTS])
"""Systems whose candidates are blocks; the candidates of other systems are elements."""

_LIKELY = 0.95, 0.05  # probability that parts of the article, and other blocks, are text

_EXPERT = MainParams(kept=0.85)
"""Kept blocks are right slightly more often than those of other rules (eval/segments)."""


@dataclass(frozen=True)
class Roles:
    """The conclusions of the expert system about a page; `kept` and `comments` are (n,).

    `article` is an element, -1 for none.
    """

    page: Elements
    heading: MainHeading
    article: int
    kept: Bools
    comments: Bools
    pictures: tuple[int, ...]
    steps: tuple[Step, ...]


def find_roles(blocks: Blocks, params: ArticleParams = ArticleParams()) -> Roles:
    """Run each step of the algorithm once, in order."""
    page = elements(blocks)
    nothing = np.zeros(len(blocks), np.bool_)
    if not len(blocks):
        return Roles(page, NO_HEADING, -1, nothing, nothing, (), ())
    tables = find_text_tables(page)
    header = find_best_header(page)
    comment = find_comment_heading(page, header.first)
    facts = Candidates(page, comment.first, tuple(outermost(page, tables.candidates)), params)
    text = find_max_text(facts)
    heading, steps = _main_heading(facts, header.first, text.first)
    steps = tables.steps + header.steps + comment.steps + text.steps + steps
    if text.first < 0:
        return Roles(page, heading, -1, nothing, nothing, (), steps)
    inside = Inside(facts, text.first, heading)
    parts = _until_end(page, find_parts(inside))
    kept = nothing.copy()
    kept[[*parts.candidates, *heading.blocks]] = True
    images = find_pictures(inside, kept)
    comments = _comments(facts, kept)
    steps += parts.steps + images.steps
    return Roles(page, heading, text.first, kept, comments, images.candidates, steps)


def _main_heading(
    page: Candidates, header: int, article: int
) -> tuple[MainHeading, tuple[Step, ...]]:
    """Choose the main heading: the best heading element if it agrees with the page's title.

    Otherwise it is a block above the article that is like the title. Without such a block, the best
    heading element stays.
    """
    best, title = of_element(page.elements, header), page.elements.blocks.title
    if article < 0 or not title or (header >= 0 and agrees_with_title(page.elements, header)):
        return best, ()
    headline = find_headline(page.elements, page.text_begins(article))
    return of_block(page.elements, headline.first) if headline.first >= 0 else best, headline.steps


def _until_end(page: Elements, parts: Conclusion) -> Conclusion:
    """Cut the parts of the article at the end of the text, as `text_end` finds it.

    Rules give no probabilities, so all parts have the same, and all other blocks, too.
    """
    kept = np.zeros(len(page.blocks), np.bool_)
    kept[[*parts.candidates]] = True
    ending = text_end(Evidence(page.page), np.where(kept, *_LIKELY), kept, article=False)
    if ending is None or not ending[0].is_cut:
        return parts
    end, _ = ending
    why = f"stands behind the end of the text (probability {end.probability:.2f})"
    removed = {part: why for part in parts.candidates if part >= end.block}
    left = tuple(part for part in parts.candidates if part < end.block)
    step = Step(PARTS, "another section begins", removed, len(left))
    return Conclusion(left, (*parts.steps, step))


def _comments(page: Candidates, kept: Bools) -> Bools:
    """Mark the blocks of the comments: those after their heading in the same element, (n,).

    The element is the lowest one around the heading with at least `_COMMENT_CHARS` characters after
    it. Links, navigation and blocks of the article are excluded.
    """
    elements, following = page.elements, np.zeros(len(kept), np.bool_)
    if page.comments < 0:
        return following
    nodes, node = elements.blocks.nodes, int(elements.blocks.node[page.comments])
    total = np.concatenate([[0.0], np.cumsum(elements.own)])
    before = total[page.comments + 1]
    while nodes.parent[node] >= 0 and total[nodes.end_block[node]] - before < _COMMENT_CHARS:
        node = int(nodes.parent[node])
    following[page.comments + 1 : nodes.end_block[node]] = True
    comments: Bools = following & ~kept & (elements.linked <= 0.5) & ~elements.apart
    return comments


@dataclass(frozen=True)
class ExpertTagger:
    """The expert system with its parameters, without a model."""

    article: ArticleParams = field(default_factory=ArticleParams)
    main: MainParams = _EXPERT
    name: ClassVar[str] = "expert"

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits of the parameters."""
        return digest_of({"tagger": "expert", "article": self.article, "main": self.main})

    def tag(self, blocks: Blocks | Page | bytes | str) -> Tags:
        """Keep the main heading and the main article."""
        blocks = as_blocks(blocks, elements_of(self))
        roles = find_roles(blocks, self.article)
        tags = tags_of(roles.page.page, roles.kept, self.main, roles.heading.blocks)
        return replace(tags, pictures=roles.pictures)

    def comments(self, blocks: Blocks) -> Bools:
        """The blocks of readers' comments, (n,)."""
        return self.roles(blocks).comments

    def roles(self, blocks: Blocks) -> Roles:
        """The conclusions of the rules about a page, and the steps that led to them."""
        return find_roles(blocks, self.article)

    def trace(self, blocks: Blocks) -> str:
        """List which rule removed which candidate and why, then the conclusions."""
        roles = find_roles(blocks, self.article)

        def name(system: str, candidate: int) -> str:
            if system in OF_BLOCKS:
                path = blocks.xpath(int(blocks.node[candidate]))
                return f"{path} {blocks.texts[candidate][:40]!r}"
            return roles.page.name(candidate)

        heading, article = (
            roles.page.name(node) if node >= 0 else "none"
            for node in (roles.heading.node, roles.article)
        )
        return (
            f"{trace_text(roles.steps, name)}main heading is {heading}\nmain article is {article}\n"
        )

    def explain(self, blocks: Blocks, most: int = 5) -> list[list[Reason]]:
        """For each block, the rule that removed it or the role that keeps it."""
        roles = find_roles(blocks, self.article)
        removals = {
            block: Reason(step.rule, 1.0, -1.0)
            for step in roles.steps
            if step.system == "parts of the article"
            for block in step.removed
        }
        outside = Reason("outside the article", 1.0, -1.0)
        kept = Reason("article or heading", 1.0, 1.0)
        return [
            [kept if roles.kept[block] else removals.get(block, outside)][:most]
            for block in range(len(blocks))
        ]
