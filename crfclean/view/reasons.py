"""The reasons for a block's label in plain words, with the figures behind them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from crfclean.decision.verdict import RULE_PREFIX
from crfclean.types import Reason

# the words for what a feature says of a block, such as "many links" or "inside a menu"
#
# Features are correlated, so that single weights may point another way than their words: a
# neighbour that looks like content may count against a block that does not. Such reasons get no
# words; they stay among the figures.

FOR, AGAINST, EITHER = 1, -1, 0
"""What words speak for: that a block is kept, that it is dropped, or either."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """What to say of a feature: `high` for values above `above`, else `low`; "" says nothing.

    `speaks` is what `high` speaks for; `low` speaks for the opposite.
    """

    high: str
    low: str = ""
    above: float = 0.0
    speaks: int = EITHER

    def of(self, value: float, weight: float) -> str:
        """The words for a value with this weight, "" where they point another way."""
        is_high = value > self.above
        speaks = self.speaks if is_high else -self.speaks
        words = self.high if is_high else self.low
        return words if speaks * weight >= 0 else ""


_CONTENT_NAMES = "article body content main post lead code quote faq product".split()
_NAMES = {
    "lead": "introduction",
    "faq": "questions",
    "share": "sharing",
    "related": "related pages",
    "nav": "navigation",
    "pager": "page numbers",
    "ad": "advertising",
    "meta": "details",
    "hidden": "hidden",
    "hero": "banner",
    **{
        name: name
        for name in (
            "article body content main post code quote product title author date caption media "
            "comment header footer sidebar form tag list user event tool overlay"
        ).split()
    },
}
_INSIDE_CONTENT = {
    "in_article": "an article element",
    "in_main": "the main element",
    "in_figure": "a figure",
    "in_quote": "a quotation",
    "container_quote": "a quotation",
    "in_code": "code",
    "in_posting": "a post",
    "container_p": "a paragraph element",
}
_INSIDE_OTHER = {
    "in_nav": "a menu",
    "in_aside": "an aside",
    "in_footer": "a footer",
    "in_header": "a page header",
    "in_button": "a button",
    "in_search": "a search form",
    "in_form": "a form",
    "in_dialog": "a dialog",
    "in_author": "an author’s name",
    "in_comment": "comments",
    "in_crumbs": "a breadcrumb trail",
    "in_offer": "an offer",
    "in_time": "a date",
    "in_link": "a link",
}
_INSIDE_EITHER = {
    "in_cell": "a table cell",
    "container_td": "a table cell",
    "in_table": "a table",
    "in_list": "a list",
    "in_item": "a list item",
    "container_li": "a list item",
    "in_heading": "a heading",
    "in_caption": "a caption",
    "in_details": "a part that folds",
}
_TOPICS = {
    "related": "related pages",
    "comments": "comments",
    "share": "sharing",
    "legal": "legal matters",
    "subscribe": "subscribing",
    "navigate": "moving around the site",
    "ad": "advertising",
    "tags": "tags",
}


def _markup_phrases() -> Iterator[tuple[str, Phrase]]:
    for name, word in _NAMES.items():
        speaks = FOR if name in _CONTENT_NAMES else AGAINST
        yield f"named_{name}", Phrase(f"a class or id says “{word}”", speaks=speaks)
    groups = {FOR: _INSIDE_CONTENT, AGAINST: _INSIDE_OTHER, EITHER: _INSIDE_EITHER}
    for speaks, names in groups.items():
        for feature, what in names.items():
            yield feature, Phrase(f"inside {what}", speaks=speaks)


def _topic_phrases() -> Iterator[tuple[str, Phrase]]:
    for name, topic in _TOPICS.items():
        yield f"says_{name}", Phrase(f"its words are about {topic}", speaks=AGAINST)
        yield f"heading_says_{name}", Phrase(f"under a heading about {topic}", speaks=AGAINST)
    for name in ("related", "comments", "legal"):
        words = f"close to words about {_TOPICS[name]}"
        yield f"since_{name}", Phrase("", words, above=12.0, speaks=FOR)


def _looks(what: str, above: float = 0.5) -> Phrase:
    like = "like content"
    return Phrase(f"{what} looks {like}", f"{what} does not look {like}", above, FOR)


def _first_pass_phrases() -> Iterator[tuple[str, Phrase]]:
    """The phrases of what the first pass expects of a block and those around it."""
    yield "pass", _looks("by itself it", 0.0)
    yield "pass[-1]", _looks("the block before it", 0.0)
    yield "pass[+1]", _looks("the block after it", 0.0)
    yield "pass_heading", Phrase("reads like a heading of the text", above=0.5, speaks=FOR)
    yield "pass_heading[-1]", Phrase("right after a heading", above=0.5)
    yield "pass_heading[+1]", Phrase("right before a heading", above=0.5)
    yield "pass_parent", _looks("what shares its element")
    yield "pass_path", _looks("what is marked up like it")
    yield "pass_card", _looks("the card around it")
    yield "pass_before", Phrase("nearly all content stands before it", "", 0.9, AGAINST)
    yield "pass_left", Phrase("", "hardly any content follows", 0.1, FOR)
    for level in range(1, 5):
        yield f"pass_up{level}", _looks("the box around it")
    for reach in (3, 8, 20):
        yield f"pass_around{reach}", _looks("most text around it")


def _box_phrases() -> Iterator[tuple[str, Phrase]]:
    for box in ("up1", "div"):  # wider ones hold most of the page
        links = Phrase("in a box of links", "in a box with few links", 0.4, AGAINST)
        yield f"{box}_link_share", links
        long = Phrase("in a box of long paragraphs", "in a box of short pieces", 0.5, FOR)
        yield f"{box}_long_share", long


_RULES = {
    "comment": Phrase("a reader’s comment on a page that may be no thread", "", -1.0, AGAINST),
    "aside": Phrase("stands beside the text, as captions and teasers do", "", -1.0, AGAINST),
    "title": Phrase("is the page’s main heading", speaks=FOR),
    "list": Phrase("in a list or table between kept blocks", speaks=FOR),
    "record": Phrase("in one of several records alike"),
    "also": Phrase("of a kind that you asked for", speaks=FOR),
    "choice": Phrase("of a kind that you did not ask for", "", -1.0, AGAINST),
}
"""Rule -> its words as a reason."""


def _post_phrases() -> Iterator[tuple[str, Phrase]]:
    steps = {
        "begin": "where the article begins",
        "paths": "by its element",
        "lonely": "a short block far from the text",
        "neighbours": "by its neighbours",
    }
    for step, words in steps.items():
        said = f"the post-analysis decides: {words}"
        yield f"post.{step}", Phrase(said, said)


_MOST_TEXT = "the part with the most running text"

PHRASES: Mapping[str, Phrase] = {
    **dict(_markup_phrases()),
    **dict(_topic_phrases()),
    **dict(_first_pass_phrases()),
    **dict(_box_phrases()),
    "says_byline": Phrase("reads like a byline", speaks=AGAINST),
    "in_best": Phrase(f"in {_MOST_TEXT}", f"outside {_MOST_TEXT}", 0.0, FOR),
    "after_best": Phrase(f"below {_MOST_TEXT}", speaks=AGAINST),
    "before_best": Phrase(f"above {_MOST_TEXT}", speaks=AGAINST),
    "h1_above": Phrase("below the main heading", "above the main heading", 0.0, FOR),
    "is_headline": Phrase("is the page’s headline", speaks=FOR),
    "title_likeness": Phrase("like the page’s title", above=0.5, speaks=FOR),
    "heading_title": Phrase("under the page’s headline", above=0.5, speaks=FOR),
    "description_cover": Phrase("repeats the page’s description", above=0.5),
    "body_cover": Phrase("also in the page’s own data", above=0.5, speaks=FOR),
    "link_density": Phrase("many links", "few links", 0.3, AGAINST),
    "links": Phrase("has links", "no links", 0.0, AGAINST),
    "links_per_word": Phrase("many links", above=0.2, speaks=AGAINST),
    "is_whole_link": Phrase("is one link", speaks=AGAINST),
    "link_run": Phrase("in a row of links", above=1.5, speaks=AGAINST),
    "words": Phrase("many words", "few words", 20.0, FOR),
    "text_words": Phrase("many words", "few words", 20.0, FOR),
    "chars": Phrase("many words", "few words", 100.0, FOR),
    "sentences": Phrase("whole sentences", "no whole sentence", 0.0, FOR),
    "sentence_length": Phrase("long sentences", above=15.0, speaks=FOR),
    "clauses": Phrase("several clauses", above=1.0, speaks=FOR),
    "commas_per_word": Phrase("many commas", above=0.05),
    "begins_sentence": Phrase("", "does not begin like a sentence", 0.0, FOR),
    "ends_sentence": Phrase("ends like a sentence", "does not end like a sentence", 0.0, FOR),
    "ends_question": Phrase("ends with a question mark"),
    "ends_ellipsis": Phrase("ends with an ellipsis", speaks=AGAINST),
    "ends_with_colon": Phrase("ends with a colon"),
    "is_repeat": Phrase("the same text stands earlier on the page", speaks=AGAINST),
    "duplicates": Phrase("the same text stands elsewhere on the page", speaks=AGAINST),
    "has_date": Phrase("has a date"),
    "has_time": Phrase("has a time of day"),
    "has_url": Phrase("has an address written out"),
    "has_bullet": Phrase("begins with a bullet"),
    "money": Phrase("has a price"),
    "copyright": Phrase("has a copyright sign", speaks=AGAINST),
    "bold_share": Phrase("mostly bold", above=0.5),
    "digit_share": Phrase("many digits", above=0.2),
    "upper_share": Phrase("many capital letters", above=0.3),
    "parent_count": Phrase("one of many alike", above=5.0),
    "path_count": Phrase("one of many alike", above=5.0),
    "tag_path_count": Phrase("one of many alike", above=5.0),
    "href_tag": Phrase("links to a page of tags", speaks=AGAINST),
    "href_share": Phrase("links to a sharing service", speaks=AGAINST),
    "href_action": Phrase("links to an action", speaks=AGAINST),
    "href_fragment": Phrase("links to a place on this page"),
    **{RULE_PREFIX + rule: phrase for rule, phrase in _RULES.items()},
    **dict(_post_phrases()),
}
"""Feature -> its words; features of whole pages say little of a block, and have none."""


def phrase_of(feature: str, value: float, weight: float) -> str:
    """The words for a feature with this value and weight, "" if there are none.

    >>> phrase_of("link_density", 0.9, -1.2), phrase_of("link_density", 0.9, 0.3)
    ('many links', '')
    """
    phrase = PHRASES.get(feature)
    return "" if phrase is None else phrase.of(value, weight)


# the reasons for a block's label in plain words, with the figures behind them

ASKED_REASONS = 12
"""Reasons to ask a tagger for, so that enough of them have words."""

MAX_BECAUSE, MAX_BUT, MAX_FIGURES = 4, 2, 10
_LEAST_SHARE = 0.1  # of the weightiest words: lighter ones are left out


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a block was kept or dropped: `because` speaks for it, `but` against it.

    `figures` are the reasons behind these words, then the weightiest others.
    """

    because: tuple[str, ...] = ()
    but: tuple[str, ...] = ()
    figures: tuple[Reason, ...] = ()


def in_words(reasons: Sequence[Reason], *, kept: bool) -> Explanation:
    """The reasons of a block in words.

    Features with the same words count together.
    """
    weights: dict[str, float] = {}
    for reason in reasons:
        words = phrase_of(reason.feature, reason.value, reason.weight)
        if words:
            weights[words] = weights.get(words, 0.0) + reason.weight
    heaviest = max(map(abs, weights.values()), default=0.0)
    ordered = sorted(weights, key=lambda words: (-abs(weights[words]), words))
    heavy = [words for words in ordered if abs(weights[words]) >= _LEAST_SHARE * heaviest > 0]
    because = tuple(words for words in heavy if (weights[words] > 0) == kept)[:MAX_BECAUSE]
    but = tuple(words for words in heavy if (weights[words] > 0) != kept)[:MAX_BUT]
    said = {*because, *but}
    return Explanation(because, but, tuple(_figures(reasons, said)))


def _figures(reasons: Sequence[Reason], said: set[str]) -> list[Reason]:
    """The reasons behind the words, then the others, each by weight."""
    behind = [
        reason
        for reason in reasons
        if phrase_of(reason.feature, reason.value, reason.weight) in said
    ]
    others = [reason for reason in reasons if reason not in behind]
    by_weight = [sorted(part, key=lambda reason: -abs(reason.weight)) for part in (behind, others)]
    return [*by_weight[0], *by_weight[1]][:MAX_FIGURES]


def words_and_links(words: float, link_share: float) -> str:
    """How long a block is, and how much of it is links: "3 words, all of them links"."""
    count = round(words)
    length = "less than a word" if not count else "1 word" if count == 1 else f"{count:,} words"
    if link_share <= 0:
        return f"{length}, no links"
    if link_share > 0.99:
        return f"{length}, all inside links"
    return f"{length}, {max(1, round(100 * link_share))} % of the characters inside links"
