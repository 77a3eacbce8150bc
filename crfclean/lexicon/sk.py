"""Words of Slovak."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, DateWords, ForumWords, Language

SLOVAK = Language(
    code="sk",
    function_words=(
        "a v sa na je že s z do o ako to za by pre ale som od po jeho byť alebo pri nie sú bol "
        "ktorý ktorí pretože"
    ),
    comments="komentár komentáre komentárov diskusia",
    phrases={"comments": "diskusia", "ad": "reklama"},
    dates=DateWords(before_units="pred"),
    bylines=BylineWords(joins_capitals="a", titles="ing mgr bc"),
    forum=ForumWords(quote_labels="citácia|citát", said=r"napísala?|napísal\(a\)|píše"),
)
