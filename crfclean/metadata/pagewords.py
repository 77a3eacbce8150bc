"""Nothing -> words that tell kinds of pages apart: in addresses, titles and texts."""

from __future__ import annotations

PATH_WORDS = {
    "article": "article articles artikel articulo news story stories blog post posts opinion",
    "forum": (
        "forum forums foro thread threads topic topics showthread viewtopic discussion "
        "discussions t questions question community r comments"
    ),
    "product": "product products produkt produit producto p item dp shop buy pd",
    "collection": "collection collections category categories kategorie c shop store all",
    "listing": (
        "tag tags category archive archives list directory search browse jobs events top best"
    ),
    "documentation": (
        "docs doc documentation guide guides reference manual api wiki help tutorial learn html "
        "en latest stable"
    ),
    "service": "services service solutions about pricing features contact company platform",
}
"""What the words of an address's path speak for."""

HOST_WORDS = {
    "documentation": "docs doc documentation developer developers learn api readthedocs wiki help",
    "forum": "forum forums community discuss discourse boards",
    "article": "blog news",
    "product": "shop store",
}
"""What the words of a host's name speak for."""

TITLE_WORDS = {
    "documentation": "docs documentation reference guide manual tutorial api help",
    "forum": "forum forums thread community discuss discussion topic board reddit question",
    "product": "shop buy store price sale",
    "listing": "best top archives archive category list jobs all",
    "service": "service services company solutions agency software platform law clinic",
    "article": "news blog times magazine",
}
"""What the words of a page's title speak for."""

TEXT_WORDS = {
    "cart": (
        "cart basket checkout sku stock shipping quantity koszyk koszyka košík košíku warenkorb "
        "panier carrito carrello корзину"
    ),
    "reply": (
        "reply replies quote posts joined thread likes antworten zitieren répondre odpovědět "
        "odpowiedz cytuj responder ответить сообщений"
    ),
    "offer": "started contact request book schedule trial demo team clients services solutions",
    "docs": "parameters parameter returns example install version deprecated api syntax default",
    "read": "read continue min",
    "results": "results result sort filter showing items ergebnisse výsledky wyniki résultats",
    "faq": "faq faqs asked",
    "posted": "by posted published updated written",
    "ago": "ago temu назад",
    "review": "review reviews rating ratings stars bewertungen avis recenze opinie отзывы",
    "first": "i i'm i've i'd my me",
    "you": "you your",
    "we": "we our us",
}
"""Words of a page's text, in lower case."""

TYPES = (
    "og:article og:website og:product article newsarticle blogposting product itemlist "
    "collectionpage organization localbusiness service faqpage question qapage "
    "discussionforumposting techarticle webpage person aggregaterating offer review listitem"
).split()
"""Types of OpenGraph and schema.org."""

TAGS = (
    "article section nav aside main footer time blockquote figure video iframe select input "
    "button form label pre code table li ul ol dl dt p h1 h2 h3 h4 img script a span div details "
    "textarea kbd"
).split()
"""Elements that are counted."""
