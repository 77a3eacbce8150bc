"""Words of German."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, DateWords, ForumWords, Language, PageTypeWords

_PHRASES = {
    "related": ("mehr zum thema|weitere|lesen sie auch|auch interessant|meistgelesen|verwandte"),
    "comments": "kommentar",
    "share": "teilen|drucken",
    "legal": "alle rechte|impressum|datenschutz",
    "subscribe": "anmelden|registrieren|abonnieren",
    "byline": "von |veröffentlicht|quelle",
    "navigate": "startseite|weiter|zurück|suche",
    "ad": "anzeige|werbung",
    "tags": "schlagw|kategorie",
}

_DATES = DateWords(
    months=(
        *("januar jänner jan", "februar feber feb", "märz mär mrz", "april apr", "mai", "juni jun"),
        *("juli jul", "august aug", "september sep sept", "oktober okt", "november nov"),
        "dezember dez",
    ),
    month_stems="mai okt dez mär",
    before_date="am",
    before_clock="um ",
    after_clock="Uhr",
    published="veröffentlicht|erschienen|erstellt|datum",
    modified="aktualisiert|geändert|überarbeitet|stand[: ]",
    units="minut|std|stund|tag|woch|monat|jahr",
    one="eine[rm]?",
    before_units="vor",
    days="gestern|heute|vorgestern",
)

_BYLINES = BylineWords(
    by=(
        r"(?:verfasst|geschrieben|veröffentlicht|erstellt|eingestellt|gepostet) von|"
        r"(?:eine? )?(?:gast)?(?:artikel|beitrag|text|kolumne|kommentar|interview|analyse) von|von|"
        r"autor|autorin|autoren|text (?:und|&) \w+(?=\s*:)|\w+ (?:und|&) text(?=\s*:)|"
        r"(?:redaktion|interview)(?=\s*:)|text"
    ),
    nouns="text",
    sure="(?:verfasst|geschrieben) von",
    author="autor|autorin",
    inside="[Vv]on|Autor(?:in)?:",
    labels="von|autor",
    card_labels="geschrieben von|verfasst von|autor",
    end_words=(
        "(?:zuletzt )?aktualisiert|veröffentlicht|erschienen|datum|stand|lesezeit|"
        "(?:am )?(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag)"
    ),
    joins="und|mit",
    before_last="und",
    roles=(
        r"\w*(?:redakteur|redaktor|reporter|korrespondent|experte|chef|leiter|sprecher)(?:in|s)?|"
        r"(?:online-)?redaktion|\w*(?:autor|journalist|expert|volontär|rechtsanwält|praktikant)in|"
        r"volontär|rechtsanwalt|praktikant"
    ),
    titles="dr prof mag ing",
    others=(
        r"(?:titel|symbol|archiv|beitrags)?(?:fotos?|bild(?:er)?|bildquelle|bildnachweis|grafik|"
        r"illustration|video)\s*(?:[:©]|von\b)|"
        r"(?:fotografiert|übersetzt|geprüft|illustriert) von\b|"
        r"mehr (?:\w+ )?von\b|(?:weitere|alle|neueste|andere) \w+ von\b|im wortlaut|"
        r"pressemitteilung|quelle"
    ),
    agencies="Deutsche Presse-Agentur|dpa|DPA|APA|SDA|SID|epd|KNA",
    organisations=(
        "gmbh ag ev kg verlag redaktion zeitung nachrichten stiftung verband verein agentur de at "
        "ministerium universität hochschule institut"
    ),
    nobody="startseite suche nachricht kommentar unbekannt gast veröffentlicht agenturen",
    no_part=(
        "abmelden anmelden einloggen registrieren kommentare uhr newsletter drucken vorlesen sagt "
        "schreibt"
    ),
    paths="autor(?:en)?",
)

_PAGE_TYPES = PageTypeWords(
    paths={"article": "artikel", "product": "produkt", "collection": "kategorie"},
    texts={
        "cart": "warenkorb",
        "reply": "antworten zitieren",
        "results": "ergebnisse",
        "review": "bewertungen",
    },
)

_FORUM = ForumWords(
    answers="antwort auf|als antwort an",
    fields={
        "posted": "von geschrieben verfasst autor am",
        "joined": "registriert seit mitglied anmeldungsdatum beigetreten dabei",
        "posts": "beiträge",
        "place": "ort wohnort",
        "action": "antworten zitieren melden teilen danke",
        "edited": "bearbeitet geändert",
        "page": "seite weiter zurück",
        "rank": "mitglied gast moderator",
    },
    byline="von|autor",
    edited="bearbeitet",
    before_edited="zuletzt",
    profiles="mitglied|autor",
    quote_labels="zitat|zitat von|zitiert von",
    said="schrieb|schreibt|hat geschrieben|sagte|meinte",
    dateparser=True,
)

_NOTICES = {
    "script": (
        "javascript aktivieren|aktivieren sie javascript|aktiviere javascript|"
        "javascript ist deaktiviert|benötigt javascript|ohne javascript|wird geladen|"
        "bitte warten|einen moment"
    ),
    "consent": (
        "wir schätzen ihre privatsphäre|alle akzeptieren|alle cookies akzeptieren|"
        "cookies zustimmen|einwilligung|mit werbung weiterlesen|weiter mit werbung"
    ),
    "paywall": (
        "weiterlesen mit|jetzt abonnieren|nur für abonnenten|für abonnenten|"
        "diesen artikel weiterlesen|probeabo|bereits abonnent|artikel freischalten|"
        "exklusiv für"
    ),
    "login": (
        "bitte melden sie sich an|bitte anmelden|bitte einloggen|passwort vergessen|"
        "angemeldet bleiben|müssen angemeldet sein|nicht eingeloggt"
    ),
    "error": (
        "seite nicht gefunden|nicht gefunden|existiert nicht|nicht mehr verfügbar|"
        "nicht verfügbar|zugriff verweigert|fehler 404|konnte nicht gefunden werden|"
        "etwas ist schiefgelaufen|wartungsarbeiten"
    ),
}

_KIND_PHRASES = {
    "teaser": (
        "mehr zum thema|lesen sie auch|lesen sie mehr|auch interessant|"
        "das könnte sie auch interessieren|das könnte dich auch interessieren|"
        "weitere artikel|weitere meldungen|weitere nachrichten|ähnliche artikel|"
        "ähnliche beiträge|verwandte artikel|meistgelesen|am meisten gelesen|"
        "empfohlene artikel|aktuelle beiträge|neueste beiträge|passend zum thema|"
        "nächster artikel|vorheriger artikel|lesen sie hier|lesen sie dazu|"
        "lesen sie weiter|mehr lesen|lies auch|lest auch|zum artikel|mehr nachrichten|"
        "mehr themen|zum weiterlesen|auch lesenswert|das könnte sie interessieren|"
        "das könnte dich interessieren|das könnte ihnen gefallen|"
        "das könnte dir auch gefallen|ähnliche nachrichten|ähnliche themen|"
        "verwandte themen|verwandte beiträge|kunden kauften auch|ähnliche produkte|"
        "zuletzt angesehen|wir empfehlen auch|sie könnten auch|letzte kommentare|"
        "neue kommentare|neueste kommentare|letzte artikel|neueste artikel|top-themen|"
        "beliebte artikel"
    ),
    "promo": (
        "newsletter abonnieren|abonnieren sie|jetzt abonnieren|teilen auf|artikel teilen|"
        "diesen artikel teilen|folgen sie uns|folge uns|jetzt spenden|unterstützen sie uns|"
        "app herunterladen|laden sie unsere app|newsletter bestellen|newsletter anmelden|"
        "melde dich für|melden sie sich für|jetzt anmelden|artikel drucken|beitrag teilen|"
        "auf facebook teilen|auf twitter teilen|per e-mail teilen|link kopieren|folge mir|"
        "folgt uns|bleiben sie dran|mit einem abo|jetzt testen|kennen sie schon|"
        "hier werben|ihre werbung|unterstützen sie|schriftgröße anpassen|"
        "auf den wunschzettel"
    ),
    "notice": (
        "wir verwenden cookies|wir nutzen cookies|diese website verwendet cookies|"
        "diese webseite verwendet cookies|diese website nutzt cookies|"
        "alle cookies akzeptieren|cookies akzeptieren|cookie-einstellungen|"
        "wir benötigen ihre zustimmung|wir brauchen ihre zustimmung|"
        "bitte aktivieren sie javascript|javascript ist deaktiviert|jetzt weiterlesen mit|"
        "sie sind bereits abonnent|empfohlener redaktioneller inhalt|"
        "empfohlener externer inhalt|externer inhalt|externe inhalte|"
        "an dieser stelle finden sie|an dieser stelle befindet sich|"
        "ich bin damit einverstanden|ich bin einverstanden|mit klick auf|mit dem klick auf|"
        "dieser externe inhalt|zur anzeige dieses|datenschutzeinstellungen|inhalt laden|"
        "inhalte laden|cookies erleichtern|cookies helfen uns|cookies optimieren|"
        "diesen artikel lesen sie|weiterlesen mit|dieser browser wird|"
        "bitte melden sie sich an|wird geladen"
    ),
    "legal": (
        "alle rechte vorbehalten|datenschutzerklärung|allgemeine geschäftsbedingungen|"
        "nutzungsbedingungen|impressum"
    ),
}

GERMAN = Language(
    code="de",
    names="german deutsch",
    function_words=(
        "der die und das den von zu mit ist des im dem nicht ein eine auf für auch sich als es"
    ),
    comments="kommentar kommentare leserkommentare kommentaren leserbriefe",
    phrases=_PHRASES,
    dates=_DATES,
    bylines=_BYLINES,
    page_types=_PAGE_TYPES,
    forum=_FORUM,
    notices=_NOTICES,
    kind_phrases=_KIND_PHRASES,
)
