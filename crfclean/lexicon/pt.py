"""Words of Portuguese."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, DateWords, Language

_DATES = DateWords(
    months=(
        *("janeiro jan", "fevereiro fev", "março mar", "abril abr", "maio mai", "junho jun"),
        *("julho jul", "agosto ago", "setembro set", "outubro out", "novembro nov"),
        "dezembro dez",
    ),
    before_month="de",
    before_year="de",
    modified="atualizad|modificad",
    units="hora|dia",
    ago="atrás",
    before_units="há",
)

PORTUGUESE = Language(
    code="pt",
    names="portuguese",
    function_words=("de que e o a do da em um para com não uma os no se na por mais as dos ao"),
    comments="comentário comentários",
    dates=_DATES,
    bylines=BylineWords(joins_capitals="e"),
)
