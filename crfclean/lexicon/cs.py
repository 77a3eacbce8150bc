"""Words of Czech."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, DateWords, ForumWords, Language, PageTypeWords

_PHRASES = {
    "related": "další|související|přečtěte|čtěte|nejnovější|nejčtenější",
    "comments": "diskuse|komentář",
    "share": "sdílet|tisk|vytisknout",
    "legal": "všechna práva|ochrana osobn",
    "subscribe": "přihlásit|registrovat|odebír",
    "byline": "zdroj|publikov|vydan|napsal",
    "navigate": "domů|zpět|hledat",
    "ad": "reklama",
    "tags": "štítky",
}

_DATES = DateWords(
    months=(
        *("leden ledna", "únor února", "březen března bře", "duben dubna dub"),
        *("květen května kvě", "červen června čvn", "červenec července čvc", "srpen srpna srp"),
        *("září zář", "říjen října říj", "listopad listopadu lis", "prosinec prosince pro"),
    ),
    month_stems=(
        "led úno bře dub kvě čvn čvc srp zář říj lis pro ledna února března dubna května června "
        "července srpna září října listopadu prosince"
    ),
    before_date="dne",
    before_clock="v ",
    published="vydán|publikov|zveřejn|vytvořen|datum",
    modified="upraven|aktualiz",
    units="hod|dn[yíů]|den|t[yý]d|měs|rok",
    ago="zpět",
    before_units="před|pred",
    days="včera|dnes",
)

_BYLINES = BylineWords(
    by="autoři|autorka|napsal|napsala|text a foto",
    sure="napsal",
    author="autoři",
    card_labels="napsal(a)",
    end_words="aktualizováno|vydáno",
    joins_capitals="a",
    roles=r"novinář(?:ka)?|zpravodaj(?:ka)?",
    others=r"zdroj\s*:",
    agencies="ČTK",
    nobody="redakce",
    titles="ing mgr bc",
    paths="autori",
)

_PAGE_TYPES = PageTypeWords(
    paths={"product": "produkt", "collection": "kategorie"},
    texts={
        "cart": "košík košíku",
        "reply": "odpovědět",
        "results": "výsledky",
        "review": "recenze",
    },
)

_FORUM = ForumWords(
    answers="v odpovědi na|odpověď na|reakce na",
    fields={
        "posted": "napsal napsala od autor odesláno vloženo publikováno zveřejněno dne",
        "joined": "registrován registrace",
        "posts": "příspěvky příspěvků",
        "place": "bydliště",
        "action": "odpovědět citovat nahlásit",
        "edited": "upraveno",
        "page": "strana stránka další",
        "rank": "uživatel člen host",
    },
    byline="od|autor|napsala?",
    edited="upraveno",
    profiles="uzivatel",
    quote_labels="citace|citát",
    said=r"napsala?|napsal\(a\)|napsal/a|píše",
    dateparser=True,
)

_NOTICES = {
    "script": (
        "zapněte javascript|povolte javascript|povolit javascript|javascript je vypnutý|"
        "vyžaduje javascript|bez javascriptu|načítání|načítám|počkejte prosím|"
        "okamžik prosím"
    ),
    "consent": (
        "vážíme si vašeho soukromí|přijmout vše|přijmout všechny|souhlasím se vším|"
        "souhlas s cookies|udělit souhlas"
    ),
    "paywall": (
        "jen pro předplatitele|pouze pro předplatitele|pro předplatitele|"
        "odemknout článek|pokračovat ve čtení|máte předplatné|koupit předplatné"
    ),
    "login": (
        "přihlaste se|zapomenuté heslo|zapomněli jste heslo|musíte být přihlášen|zůstat přihlášen"
    ),
    "error": (
        "stránka nenalezena|nenalezena|nebyla nalezena|neexistuje|již není dostupná|"
        "není k dispozici|přístup odepřen|přístup zamítnut|chyba 404|něco se pokazilo|"
        "probíhá údržba"
    ),
}

_KIND_PHRASES = {
    "teaser": (
        "čtěte také|čtěte dále|čtěte více|přečtěte si také|mohlo by vás zajímat|"
        "mohlo by se vám líbit|související články|podobné články|nejčtenější|další články|"
        "doporučujeme|nepřehlédněte|čtěte též|čtěte i|přečtěte si|výběr článků"
    ),
    "promo": (
        "přihlaste se k odběru|přihlásit se k odběru|sdílet na|sdílejte|sdílet článek|"
        "sledujte nás|stáhněte si aplikaci|podpořte nás|předplaťte|odebírejte"
    ),
    "notice": (
        "tento web používá cookies|tento web používá soubory cookie|"
        "tyto stránky používají cookies|používáme cookies|používáme soubory cookie|"
        "přijmout vše|přijmout všechny|článek je jen pro předplatitele|"
        "pouze pro předplatitele|zapněte javascript|tento obsah|článek je pouze pro|"
        "obsah pouze pro"
    ),
    "legal": ("všechna práva vyhrazena|ochrana osobních údajů|obchodní podmínky|podmínky použití"),
}

CZECH = Language(
    code="cs",
    names="czech",
    function_words=(
        "a se v na je že s z do o i to jako za by pro ale jsem od po jeho být nebo při není jsou "
        "byl který kteří protože"
    ),
    comments="komentář komentáře komentářů diskuse diskuze",
    phrases=_PHRASES,
    dates=_DATES,
    bylines=_BYLINES,
    page_types=_PAGE_TYPES,
    forum=_FORUM,
    notices=_NOTICES,
    kind_phrases=_KIND_PHRASES,
)
