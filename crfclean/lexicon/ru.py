"""Words of Russian."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, DateWords, ForumWords, Language, PageTypeWords

_PHRASES = {
    "related": (
        "читайте также|читать|смотрите|по теме|новости по|другие|похожие|популярн|последние|"
        "главные|еще"
    ),
    "comments": "комментар|отзыв|обсуд",
    "share": "поделит|подпис|распечат",
    "legal": "все права|политика кон",
    "subscribe": "войти|регистрац|рассыл",
    "byline": "автор|источник|фото",
    "navigate": "главная|следующ|предыдущ|поиск|контакт",
    "ad": "реклам",
    "tags": "теги|метки|рубрик",
}

_DATES = DateWords(
    months=(
        *("январь января янв", "февраль февраля фев", "март марта мар", "апрель апреля апр"),
        *("май мая", "июнь июня июн", "июль июля июл", "август августа авг"),
        *("сентябрь сентября сен сент", "октябрь октября окт", "ноябрь ноября ноя нояб"),
        "декабрь декабря дек",
    ),
    month_stems="янв фев мар апр мая май июн июл авг сен окт ноя дек",
    before_clock="в ",
    published="опублик|дата|размещ",
    modified="обновл|измен",
    units="час|мин|дн|день|нед|мес|год|лет",
    ago="назад",
    days="вчера|сегодня",
)

_BYLINES = BylineWords(
    by="автор|авторы|текст",
    nouns="текст",
    author="автор",
    inside="Автор:",
    labels="автор",
    card_labels="автор|написано автором",
    end_words="опубликовано|обновлено",
    joins="и",
    roles="редактор|корреспондент",
    paths="avtor",
)

_PAGE_TYPES = PageTypeWords(
    texts={
        "cart": "корзину",
        "reply": "ответить сообщений",
        "ago": "назад",
        "review": "отзывы",
    },
)

_FORUM = ForumWords(
    fields={
        "posted": "автор написал добавлено отправлено от",
        "joined": "зарегистрирован",
        "posts": "сообщений сообщения",
        "place": "откуда",
        "action": "ответить цитировать пожаловаться",
        "edited": "изменено отредактировано",
        "page": "страница",
        "rank": "участник модератор",
    },
    byline="от|автор",
    edited="изменено|отредактировано",
    dateparser=True,
)

RUSSIAN = Language(
    code="ru",
    names="russian",
    function_words="и в не на с что по как это из у за от о для его к но он был все так",
    comments="комментарий комментарии комментариев обсуждение",
    phrases=_PHRASES,
    dates=_DATES,
    bylines=_BYLINES,
    page_types=_PAGE_TYPES,
    forum=_FORUM,
)
