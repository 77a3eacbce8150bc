"""A new language is a file of the lexicon: all that reads words takes it up."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

NEW = """
from test_lexicon import TOY
from crfclean.lexicon import tables

tables.LANGUAGES += (TOY,)

from crfclean.decision.comments import mentions_comments
from crfclean.products.papers.comments import is_single_word
from crfclean.model.markup import PHRASE_GROUPS, with_markup
from crfclean.products.forum.patterns import profile_pattern
from crfclean.products.forum.dates import core_of
from crfclean.products.forum.fields import _fields_after
from crfclean.metadata.dates import find_date, kind_of
from crfclean.products.forum.post_dates import date_pattern, relative_pattern
from crfclean.metadata.common_words import by_words
from crfclean.metadata.language_tags import tag_of
from crfclean.metadata.names import names_of
from crfclean.page.blocks import split
from crfclean.model.page_features import of_address
from crfclean.types import Page, Blocks

print(mentions_comments("12 komentoj"), is_single_word("Komento:"))
print(PHRASE_GROUPS[with_markup(split(Page("<p>legu ankaŭ pri feliĉo"))).phrase[0]])
print(find_date("la 7a de marto 2024 je 10:30").iso, find_date("7 aŭg 2024").iso)
print(kind_of("Ŝanĝita la"), kind_of("aperis"))
print(max(by_words("la kato estas en la domo", ("en", "eo", "it")).items(), key=lambda p: p[1])[0])
print(tag_of("Esperanto"))
print(names_of("Verkis Ann Lee kaj Bob Roe, redaktisto"))
print(of_address("https://x.org/forumo/1")["path_forum"])
print(bool(date_pattern().search("la 7 aŭgusto")), bool(relative_pattern().search("antaŭ 2 horoj")))
print(bool(relative_pattern().search("hieraŭ")), bool(profile_pattern().search("/uzanto/3")))
print(core_of("7 aŭgusto 2024 (redaktita 9 aŭgusto)"))
print(list(_fields_after("aliĝis:", 0)))
"""

TAKEN_UP = """\
True True
related
2024-03-07T10:30 2024-08-07
modified published
eo
eo
('Ann Lee', 'Bob Roe')
1.0
True True
True True
7 aŭgusto 2024
['after=0joined', 'colon=True']
"""


def test_a_new_language_is_taken_up_by_readers() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", NEW],
        capture_output=True,
        check=False,
        text=True,
        encoding="utf-8",
        cwd=Path(__file__).parent / "lexicon",
    )
    assert not done.stderr
    assert done.stdout == TAKEN_UP
