"""`Elements` -> the heading of the readers' comments (blocks 6 to 8)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crfclean.expert.elements import Elements
from crfclean.production import (
    Conclusion,
    Rule,
    Store,
    System,
    best,
    first_only,
    several,
    some,
    unless,
)
from crfclean.types import Floats

COMMENT_WORDS = {
    "en": "comment comments",
    "de": "kommentar kommentare leserkommentare kommentaren leserbriefe",
    "fr": "commentaire commentaires",
    "es": "comentario comentarios",
    "pt": "comentário comentários",
    "it": "commento commenti",
    "nl": "reactie reacties opmerkingen",
    "pl": "komentarz komentarze komentarzy",
    "cs": "komentář komentáře komentářů diskuse diskuze",
    "sk": "komentár komentáre komentárov diskusia",
    "ru": "комментарий комментарии комментариев обсуждение",
    "uk": "коментар коментарі коментарів",
    "bg": "коментар коментари",
    "sr": "коментар коментари komentar komentari",
    "hu": "hozzászólás hozzászólások komment kommentek",
    "ro": "comentariu comentarii",
    "sv": "kommentar kommentarer",
    "da": "kommentar kommentarer",
    "nb": "kommentar kommentarer",
    "fi": "kommentti kommentit kommenttia",
    "el": "σχόλιο σχόλια",
    "tr": "yorum yorumlar",
    "id": "komentar",
    "ar": "تعليق تعليقات التعليقات",
    "zh": "评论 評論 留言 网友评论",
    "ja": "コメント",
    "ko": "댓글",
}
"""Language -> words that head readers' comments, or that such headings have in them."""

ALL_WORDS = frozenset(word for words in COMMENT_WORDS.values() for word in words.split())
RUNNING_CHARS = 40  # of a block outside links: an article's, not a byline's
MAX_CHARS = 120  # of a block that may be a heading: longer ones speak of comments
_COUNTED = re.compile(
    r"\b(?:\d+|one|two) (?:thoughts?|responses?|replies|reply) (?:on|to)\b", re.IGNORECASE
)  # WordPress: "19 thoughts on ..."
_STRIPPED = re.compile(r"[\W\d_]+")
_IDEOGRAPHIC = tuple(word for code in ("zh", "ja", "ko") for word in COMMENT_WORDS[code].split())
_SENTENCE_END = re.compile(r"[.!?。！？…][\"'”»)]*$")


def _words(text: str) -> list[str]:
    return [word for word in _STRIPPED.split(text.lower()) if word]


def mentions_comments(text: str) -> bool:
    """Whether a text has a word for comments, in any of the languages.

    >>> mentions_comments("Комментарии (12)"), mentions_comments("Commentary")
    (True, False)
    """
    if any(word in text for word in _IDEOGRAPHIC) or _COUNTED.search(text):
        return True
    return not ALL_WORDS.isdisjoint(_words(text))


def is_single_word(text: str) -> bool:
    """Whether a text is one word for comments, with a number or marks at most.

    >>> is_single_word("12 Comments:"), is_single_word("Comments on the ferry")
    (True, False)
    """
    words = _words(text)
    return len(words) == 1 and (words[0] in ALL_WORDS or words[0] in _IDEOGRAPHIC)


def find_comment_words(page: Elements) -> list[int]:
    """The short blocks that have a word for comments, in page order."""
    short = np.flatnonzero(page.page.chars <= MAX_CHARS).tolist()
    return [block for block in short if mentions_comments(page.blocks.texts[block])]


def _text(store: Store, block: int) -> str:
    text: str = store.facts.page.blocks.texts[block]
    return text


@dataclass(frozen=True)
class CommentFacts:
    """A page, and where its main heading ends (a block; 0 without one)."""

    page: Elements
    heading_end: int

    @cached_property
    def running(self) -> Floats:
        """Characters of running text before each block, (n + 1,)."""
        own = np.where(self.page.own >= RUNNING_CHARS, self.page.own, 0.0)
        return np.concatenate([[0.0], np.cumsum(own)])

    def article_above(self, block: int) -> bool:
        """Whether running text stands between the main heading and a block."""
        return bool(self.running[block] > self.running[min(self.heading_end, block)])


COMMENT_RULES = System(
    "comments' heading",
    (
        Rule(
            "link",
            some,
            unless(lambda store, block: store.facts.page.linked[block] < 0.5, "it is a link"),
        ),
        Rule(
            "apart",
            some,
            unless(
                lambda store, block: not store.facts.page.apart[block],
                "it stands in a form, navigation or the like",
            ),
        ),
        Rule(
            "sentence",
            some,
            unless(
                lambda store, block: (
                    not _SENTENCE_END.search(_text(store, block))
                    or is_single_word(_text(store, block))
                ),
                "it is a sentence of some text",
            ),
        ),
        Rule(
            "above the article",
            some,
            unless(
                lambda store, block: store.facts.article_above(block),
                "no text stands between the main heading and it",
            ),
        ),
        Rule(
            "long",
            some,
            unless(
                lambda store, block: (
                    is_single_word(_text(store, block))
                    or store.facts.page.heading_rank[block] < 8
                    or len(_words(_text(store, block))) <= 3
                ),
                "neither a heading nor short",
            ),
        ),
        Rule(
            "single word",
            several,
            best(
                lambda store, block: float(is_single_word(_text(store, block))),
                lambda *_: "another is the word alone",
            ),
        ),
        Rule(
            "higher rank",
            several,
            best(
                lambda store, block: -float(store.facts.page.heading_rank[block]),
                lambda value, most: f"its element has rank {-value:.0f}, another's {-most:.0f}",
            ),
        ),
        Rule("first", several, first_only("it stands below another as good")),
    ),
)


def find_comment_heading(page: Elements, heading: int) -> Conclusion:
    """The block that heads the comments; `heading` is the main heading's element, -1 for none."""
    end = int(page.blocks.nodes.end_block[heading]) if heading >= 0 else 0
    return COMMENT_RULES.run(CommentFacts(page, end), find_comment_words(page))
