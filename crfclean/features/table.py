"""The table of all features: what each column says, and the columns of a page.

A column has shape (n,) for n blocks; values are counts, shares (0..1), or 0 and 1. The compiled
core fills all columns of `FEATURES` in one call; those of Texttractor are functions in Python. A
new feature is a column in `native/columns.h` and its file, and a line in this table, for new models
to use.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from crfclean.core.native import CORE
from crfclean.features.inputs import (
    BODY_GROUPS,
    COUNTED_TAGS,
    MARKED_GROUPS,
    SAID_GROUPS,
    SCHEMA_TYPES,
    SINCE_PHRASES,
    SPLITS,
    inputs_of,
)
from crfclean.features.markup import MARK_NAMES
from crfclean.features.texttractor import TEXTTRACTOR, Feature
from crfclean.lexicon.language import PHRASE_GROUPS
from crfclean.page import tree
from crfclean.page.measures import Measures, once
from crfclean.types import Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A feature that the core fills; `meaning` is a sentence with its bounds."""

    name: str
    meaning: str

    def __call__(self, page: Measures) -> Floats:
        """The values of the feature, shape (n,)."""
        row = np.empty((1, len(page)))
        if len(page):
            _fill(page, _places({self.name: 0}), row)
        values: Floats = row[0]
        return values


# Victor: a block's own markup and text, and its place on the page

_INSIDE = {"list": "a list", "table": "a table", "form": "a form", "heading": "a heading"}
_CONTAINERS = {
    "p": "`p`",
    "div": "`div`, `section`, `article` or `main`",
    "li": "a list item",
    "td": "a table cell",
    "h1": "`h1`",
    "h2": "`h2`",
    "heading": "a heading",
    "quote": "`blockquote` or `pre`",
}
_TOKENS = {
    "alpha": "letters alone",
    "numeric": "digits alone",
    "mixed": "letters and digits",
    "other": "neither letters nor digits",
}

_VICTOR = {
    **{
        f"container_{name}": f"Whether the block's container is {what} (0 or 1)."
        for name, what in _CONTAINERS.items()
    },
    **{
        f"in_{name}": f"Whether the block stands inside {what}, at any height (0 or 1)."
        for name, what in _INSIDE.items()
    },
    "bold_share": "Share of the block's characters in bold text, headings included (0..1).",
    "italic_share": "Share of the block's characters in italic text (0..1).",
    "underlined_share": "Share of the block's characters in underlined text (0..1).",
    "link_density": "Share of the block's characters in links (0..1).",
    "links": "Links that begin in the block.",
    "links_per_word": "Links per word.",
    "images": "Pictures in the block or between it and the one before.",
    **{
        f"split_{name}": f"Whether a break of the kind `{name}` stands before the block (0 or 1)."
        for name in SPLITS
    },
    "letter_share": "Share of the block's characters that are letters (0..1).",
    "upper_share": "Share of the block's characters that are upper-case letters (0..1).",
    "digit_share": "Share of the block's characters that are digits (0..1).",
    "punct_share": "Share of the block's characters that are punctuation (0..1).",
    "other_share": "Share of the block's characters that are symbols and the like (0..1).",
    "white_share": "White space per character: low where tokens are long.",
    **{f"{name}_tokens": f"Tokens of {what}." for name, what in _TOKENS.items()},
    **{
        f"{name}_token_share": f"Share of the block's tokens that are of {what} (0..1)."
        for name, what in _TOKENS.items()
    },
    "capitalised_share": "Share of the block's tokens that begin in upper case (0..1).",
    "chars": "Characters of the block other than white space.",
    "words": "Words of the block (ideographic text: half a word a character).",
    "sentences": "Ends of sentences in the block.",
    "sentence_length": "Words per sentence; a block without an end of sentence is one sentence.",
    "begins_sentence": "Whether the first character is neither lower-case nor a mark (0 or 1).",
    "ends_sentence": "Whether the block ends with a terminator, closing marks aside (0 or 1).",
    "ends_with_colon": "Whether the block ends with a colon (0 or 1).",
    "is_repeat": "Whether an earlier block has the same text (0 or 1); Victor's `first-duplicate`.",
    "duplicates": "Other blocks of the page with the same text.",
    "has_url": "Whether a URL or an e-mail address is written out in the block (0 or 1).",
    "has_date": "Whether a date is written out in the block (0 or 1).",
    "has_time": "Whether a time of day is written out in the block (0 or 1).",
    "has_bullet": "Whether the block begins with a bullet (0 or 1).",
    "position": "Relative position of the block in the page, by number of blocks (0..1).",
    "word_position": "Share of the page's words that stand before the block (0..1).",
    "page_words": "Words of the page.",
    "page_sentences": "Ends of sentences on the page.",
    "page_blocks": "Blocks of the page.",
    "page_share": "The block's share of the page's words (0..1).",
    "div_group": "Share of the page's words in the blocks with the same nearest `div` (0..1).",
    "td_group": "Share of the page's words in the blocks with the same nearest `td` (0..1).",
    "largest_div_group": "The largest `div_group` on the page (0..1).",
    "largest_td_group": "The largest `td_group` on the page (0..1).",
    "div_group_rank": "The block's `div_group` as a share of the page's largest (0..1).",
}

# Tags, roles, and words of class and id around a block

_MARKS = {
    **{
        name: f"1 / (1 + steps up) to the nearest element of the group `{name}`, 0 for none (0..1)."
        for name in MARK_NAMES
    },
    "depth": "Number of elements around the block's container.",
}

# Elements around a block

_PLACES = {
    "up1": "the next wider element",
    "up2": "the second wider element",
    "up3": "the third wider element",
    "up4": "the fourth wider element",
    "div": "the nearest `div`, section, article or main",
    "big": "the smallest element around the block with 30 % of the page's words",
    "best": "the element with the page's best score by its paragraphs",
}
_FIGURES = {
    "words_share": "Share of the page's words inside {} (0..1).",
    "long_share": "Share of the page's running text inside {} (0..1).",
    "running_share": "Share of the words of {} that are running text (0..1).",
    "link_share": "Share of the words of {} in links (0..1).",
    "blocks": "Blocks inside {}.",
    "mean_words": "Mean words of the blocks inside {}.",
    "sentence_rate": "Sentence ends per block inside {}.",
    "heading_rate": "Headings per block inside {} (0..1).",
    "place_in": "Blocks since the first one of {} over its number of blocks.",
}
_ELEMENTS = {
    **{
        f"{place}_{figure}": meaning.format(where)
        for place, where in _PLACES.items()
        for figure, meaning in _FIGURES.items()
    },
    "in_best": "Whether the block stands inside the best element (0 or 1).",
    "after_best": "Blocks since the last one of the best element, 0 up to there.",
    "before_best": "Blocks until the first one of the best element, 0 from there on.",
    "best_common": "Share of the page's words in the smallest element around it and best (0..1).",
    "paragraph_score": "Score of the block's next wider element over the page's best (0..1).",
}

# Repetition

_ALIKE = {
    "path": "blocks with the same tags and classes around them",
    "tag_path": "blocks with the same tags around them",
    "parent": "blocks with containers of a kind in wider elements of a kind",
}
_LISTS = {
    "cell": "the list of the nearest repeated element",
    "card": "the list of the nearest repeated element of two blocks or more",
}
_REPETITION = {
    **{
        f"{name}_{figure}": meaning.format(what)
        for name, what in _ALIKE.items()
        for figure, meaning in {
            "count": "Number of {}.",
            "words": "Share of the page's words in {} (0..1).",
            "mean": "Mean words of {}.",
            "links": "Share of the words of {} that are in links (0..1).",
            "running": "Share of the words of {} that are running text (0..1).",
        }.items()
    },
    **{
        f"{name}_{figure}": meaning.format(what)
        for name, what in _LISTS.items()
        for figure, meaning in {
            "count": "Items of {}, 0 outside lists.",
            "words": "Share of the page's words in {}, 0 outside lists (0..1).",
            "mean": "Mean words of an item of {}, 0 outside lists.",
            "links": "Share of the words of {} in links, 0 outside lists (0..1).",
            "running": "Share of the words of {} that are running text, 0 outside lists (0..1).",
            "blocks": "Mean blocks of an item of {}, 0 outside lists.",
            "spread": "Standard deviation over the mean of the words of items of {}.",
        }.items()
    },
    **{
        f"{name}_place_in": f"Position of the block in its item of {what}, 0 outside lists (0..1)."
        for name, what in _LISTS.items()
    },
}

# Titles, descriptions and structured data

_HEADLINE = {
    "title_likeness": "Largest Dice coefficient of the block's tokens with a title's (0..1).",
    "description_cover": "Share of the block's shingles that are in a description (0..1).",
    "body_cover": "Share of the block's shingles that are in the article text of JSON-LD (0..1).",
    "has_body": "Whether JSON-LD carries an article text of 500 characters or more (0 or 1).",
    "is_headline": "Whether the block is the most likely main heading (0 or 1).",
    "from_headline": "Blocks since the headline, 0 at it and before.",
    "to_headline": "Blocks until the headline, 0 at it and after.",
    "has_headline": "Whether the page has a likely main heading (0 or 1).",
}

# Wording

_HREFS = {
    "fragment": "inside the page",
    "action": "to a script, mail or telephone",
    "absolute": "with scheme or host",
    "tag": "to pages of tags or authors",
    "share": "to sharing",
}
_WORDING = {
    **{
        f"says_{group}": f"Whether a short block begins with a phrase of `{group}` (0 or 1)."
        for group in PHRASE_GROUPS
    },
    **{
        f"href_{kind}": f"Share of the links that begin in the block and lead {where} (0..1)."
        for kind, where in _HREFS.items()
    },
    "commas_per_word": "Commas and semicolons per word; 0 for a block without words.",
    "clauses": "Commas and sentence ends of the block.",
    "quotes_per_word": "Quotation marks per word; 0 for a block without words.",
    "questions_per_word": "Question marks per word; 0 for a block without words.",
    "bars_per_word": "Bars and other marks between links per word; 0 for a block without words.",
    "money": "Signs of currencies and per cent per word; 0 for a block without words.",
    "copyright": "Signs of copyright and trade marks per word; 0 for a block without words.",
    "ends_ellipsis": 'Whether the block ends in an ellipsis or arrow, as "Read more »" (0 or 1).',
    "ends_question": "Whether the block ends in a question mark (0 or 1).",
    "begins_bracket": "Whether the block begins with an opening bracket (0 or 1).",
    "word_length": "Letters per word; 0 for a block without words.",
    "is_whole_link": "Whether nearly all of the block is inside links (0 or 1).",
    "text_words": "Words outside links.",
}

# The sequence of blocks

_SMOOTHED = {
    "words": "the logarithm of words over {} blocks to each side.",
    "links": "the share of characters in links over {} blocks to each side (0..1).",
    "long": "being running text over {} blocks to each side (0..1).",
    "ends": "having an end of sentence over {} blocks to each side (0..1).",
}
_CONTEXT = {
    **{
        f"{name}_around{reach}": f"Mean of {meaning.format(reach)}"
        for name, meaning in _SMOOTHED.items()
        for reach in (2, 5, 12)
    },
    "since_long": "Blocks since the last running text, 0 in one; 100 at most and if there is none.",
    "until_long": "Blocks until the next running text, 0 in one; 100 at most and if there is none.",
    "long_before": "Share of the page's running text that stands before the block (0..1).",
    "long_left": "Share of the page's running text that stands after the block (0..1).",
    "heading_level": "Level of the heading above, 1 to 6 (if nested: the smallest); 0 for none.",
    "since_heading": "Blocks since the heading above, 0 in one; 100 at most and if there is none.",
    "heading_title": "Similarity of the heading above to the page's title (0..1).",
    "h1_above": "Whether an `h1` stands at or before the block (0 or 1).",
    "link_run": "Length of the run of links (over 80 % of characters) around a block, 0 in none.",
    **{
        f"heading_says_{group}": f"Whether the heading above begins as `{group}` does (0 or 1)."
        for group in PHRASE_GROUPS
    },
    **{
        f"since_{group}": f"Blocks since a short one began with a phrase of `{group}`, at most 100."
        for group in SINCE_PHRASES
    },
}

# The whole page, the same for all its blocks: these hint at its type

_WHOLE = {
    "page_links": "Share of the page's words in links (0..1).",
    "page_running": "Share of the page's words in running text (0..1).",
    "page_running_blocks": "Blocks of running text on the page.",
    "page_mean_running": "Mean words of the blocks of running text.",
    "page_best": "Share of the page's running text inside the best element (0..1).",
    "page_largest_block": "Words of the longest block.",
    "page_cards": "Share of the page's blocks in repeated elements of two blocks or more (0..1).",
    "page_largest_cards": "Largest share of the page's words in one list of elements (0..1).",
    "page_card_count": "Items of the list that holds most of the page's words.",
    "page_paths": "Distinct paths per block (0..1).",
    **{
        f"page_{name}": f"Number of the page's elements {' and '.join(tags)}."
        for name, tags in COUNTED_TAGS.items()
    },
    "page_dated": "Share of the blocks with a date (0..1).",
    "page_depth": "Mean number of elements around a block's container.",
    "page_ideographs": "Share of the page's letters that are ideographs (0..1).",
    "page_cased": "Share of the page's letters that are in upper or lower case (0..1).",
    **{
        f"page_is_{name}": f"Whether the page's metadata name a type of `{name}` (0 or 1)."
        for name in SCHEMA_TYPES
    },
    **{
        f"page_marked_{group}": f"Share of the page's elements named by a word of `{group}` (0..1)."
        for group in MARKED_GROUPS
    },
    **{
        f"page_body_{group}": f"Whether `html` or `body` is named by a word of `{group}` (0 or 1)."
        for group in BODY_GROUPS
    },
    **{
        f"page_said_{group}": f"Share of the blocks that begin with a phrase of `{group}` (0..1)."
        for group in SAID_GROUPS
    },
}

PAGE_FIGURES = tuple(name.removeprefix("page_") for name in _WHOLE)
"""Names of the figures of the whole page."""


def _columns(meanings: Mapping[str, str]) -> dict[str, Feature]:
    return {name: Column(name, meaning) for name, meaning in meanings.items()}


GROUPS: Mapping[str, Mapping[str, Feature]] = {
    "victor": _columns(_VICTOR),
    "marks": _columns(_MARKS),
    "containers": _columns(_ELEMENTS),
    "repetition": _columns(_REPETITION),
    "headline": _columns(_HEADLINE),
    "wording": _columns(_WORDING),
    "context": _columns(_CONTEXT),
    "whole": _columns(_WHOLE),
}
"""Group -> its features."""

SOURCES: Mapping[str, str] = {
    "victor": "Victor (Marek, Pecina, Spousta: CLEANEVAL 2007; Spousta, Marek, Pecina: LREC 2008) "
    "in its groups markup, content and document, without what depends on the language.",
    "marks": "Words of class and id are weighed by Readability (Arc90, 2009) and the perceptron "
    "system Texttractor (2014); here every group is a column, and nearer elements weigh more.",
    "containers": "Victor has the share of words in the surrounding `div`; the best element is the "
    "one that Readability (Arc90, 2009) would pick.",
    "repetition": "Ours: lists of items from one template differ in number, text and links.",
    "headline": "Ours: similarity to what the head of the page says.",
    "wording": "Ours: punctuation, phrases that short blocks begin with, targets of links.",
    "context": "Ours: running text, distances, and the heading above.",
    "whole": "Ours: figures of the page that hint at its type.",
}
"""Group -> where its features come from."""

FEATURES = {name: feature for group in GROUPS.values() for name, feature in group.items()}
"""Name -> feature of all groups: those that the CRF may see."""

COLUMNS = ChainMap(FEATURES, TEXTTRACTOR)
"""Name -> feature of all systems."""


# The columns of a page


def matrix(page: Measures, names: Sequence[str] | None = None) -> Floats:
    """Columns of the named features (of all `FEATURES`, in their order) side by side, (n, k)."""
    return _transposed(_rows(page, _names(names), np.float64))


def singles(page: Measures, names: Sequence[str] | None = None) -> npt.NDArray[np.float32]:
    """The same in single precision, as in training."""
    return _transposed(single_rows(page, names))


def single_rows(page: Measures, names: Sequence[str] | None = None) -> npt.NDArray[np.float32]:
    """The same as rows, (features, n): half the memory of a table that is turned as a whole."""
    return _rows(page, _names(names), np.float32)


def _names(names: Sequence[str] | None) -> tuple[str, ...]:
    return tuple(FEATURES) if names is None else tuple(names)


def _rows(
    page: Measures, names: tuple[str, ...], dtype: type[np.floating[Any]]
) -> npt.NDArray[Any]:
    """The features as rows, (features, n)."""
    rows = np.empty((len(names), len(page)), dtype)
    if not len(page):
        return rows
    plan = _plan(names)
    if plan.has_columns:
        _fill(page, plan.places, rows)
    for row, name in plan.others:
        rows[row] = COLUMNS[name](page)
    return rows


class _Plan(NamedTuple):
    """The row of each column of the core, or -1, and the features of the other rows."""

    places: npt.NDArray[np.int32]
    has_columns: bool
    others: tuple[tuple[int, str], ...]


@lru_cache(maxsize=64)
def _plan(names: tuple[str, ...]) -> _Plan:
    """How the named features are computed; raises `KeyError` for one that there is not."""
    rows = {name: row for row, name in enumerate(names) if isinstance(COLUMNS[name], Column)}
    filled = frozenset(rows.values())
    others = tuple((row, name) for row, name in enumerate(names) if row not in filled)
    return _Plan(_places(rows), bool(rows), others)


def _places(rows: Mapping[str, int]) -> npt.NDArray[np.int32]:
    """The row of each column of the core by its name, -1 for none."""
    return np.array([rows.get(name, -1) for name in core_columns()], np.int32)


@cache
def core_columns() -> tuple[str, ...]:
    """Names of the core's columns: those that it names itself, then those of tables of words."""
    says = (f"{what}_{group}" for what in ("says", "heading_says") for group in PHRASE_GROUPS)
    return (*CORE.COLUMNS, *MARK_NAMES, *says)


class Derived(NamedTuple):
    """What the core derives of a page with n blocks and m elements beside the columns.

    `spans` (4, n, 2) are the half-open ranges of blocks of ever wider elements around each block,
    `keys` (3, n) number the groups of blocks that have the same tags and classes from the root
    down, that are in containers of a kind in wider elements of a kind, that are in a list of cards
    (-1 for none). `page_figures` are the `PAGE_FIGURES`.
    """

    spans: Ints
    keys: Ints
    page_figures: Floats


_KEYS = ("path_keys", "parent_keys", "card_keys")


@once
def derived(page: Measures) -> Derived:
    """What the core derives of a page with blocks; it leaves it behind with the first columns."""
    rows = np.empty((0, len(page)), np.float32)
    return _fill(page, _plan(()).places, rows)


def _fill(page: Measures, places: npt.NDArray[np.int32], rows: npt.NDArray[Any]) -> Derived:
    """Fill rows (features, n) of a page with blocks, and keep what is derived on the way."""
    arrays = CORE.columns(inputs_of(page), places, rows, rows.itemsize)
    values = dict(zip(CORE.SHARED_ARRAYS, arrays, strict=True))
    for name, (function, dtype, shape) in _OF_TREE.items():
        page.memo[function] = np.frombuffer(values[name], dtype).reshape(shape)
    spans = np.frombuffer(values["spans"], np.int64).reshape(4, -1, 2)
    keys = np.frombuffer(b"".join([values[name] for name in _KEYS]), np.int64)
    figures = np.frombuffer(values["page_figures"], np.float64)
    answer = Derived(spans, keys.reshape(len(_KEYS), -1), figures)
    page.memo[derived] = answer
    return answer


_OF_TREE: Mapping[str, tuple[Callable[..., Any], npt.DTypeLike, tuple[int, ...]]] = {
    "linked": (tree.linked, np.float64, (-1,)),
    "link_words": (tree.link_words, np.float64, (-1,)),
    "is_long": (tree.is_long, np.bool_, (-1,)),
    "running": (tree.running_words, np.float64, (-1,)),
    "in_heading": (tree.in_heading, np.bool_, (-1,)),
    "items": (tree.items, np.bool_, (-1,)),
    "inside": (tree.sizes, np.int32, (-1,)),
    "wider": (tree.wider, np.int32, (-1,)),
    "containers": (tree.containers, np.int32, (4, -1)),
}
"""Name of what the core gives back -> the function that it is the value of, type and shape."""

_BLOCKS_AT_ONCE = 512  # transposed in one step, to stay in the cache


def _transposed(rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Transpose rows of features (features, n) to rows of blocks (n, features), step by step."""
    columns = np.empty(rows.shape[::-1], rows.dtype)
    for start in range(0, len(columns), _BLOCKS_AT_ONCE):
        columns[start : start + _BLOCKS_AT_ONCE] = rows[:, start : start + _BLOCKS_AT_ONCE].T
    return columns
