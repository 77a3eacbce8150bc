"""Words of Polish."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, DateWords, ForumWords, Language, PageTypeWords

_PHRASES = {
    "related": (
        "czytaj także|czytaj też|czytaj więcej|zobacz także|zobacz też|więcej|polecamy|"
        "najnowsze|najpopularniejsze|przeczytaj|powiązane"
    ),
    "comments": "komentarz|dodaj komentarz|opinie",
    "share": "udostępnij|drukuj|podziel się",
    "legal": "wszelkie prawa|polityka prywatno|regulamin",
    "subscribe": "zaloguj|zapisz się|zarejestruj",
    "byline": r"autor|źródło|fot\.",
    "navigate": "strona główna|następn|poprzedni|szukaj|kontakt",
    "ad": "reklama",
    "tags": "tagi|kategoria",
}

_DATES = DateWords(
    months=(
        *("styczeń stycznia sty", "luty lutego lut", "marzec marca mar"),
        *("kwiecień kwietnia kwi", "maj maja", "czerwiec czerwca cze", "lipiec lipca lip"),
        *("sierpień sierpnia sie", "wrzesień września wrz", "październik października paź"),
        *("listopad listopada lis", "grudzień grudnia gru"),
    ),
    month_stems=(
        "sty lut kwi maj cze lip sie wrz paź gru stycznia lutego marca kwietnia maja czerwca lipca "
        "sierpnia września października listopada grudnia"
    ),
    before_clock="o ",
    published="opublik|dodan|data:",
    modified="aktualiz|zaktualiz|zmian",
    units="minut|rok|godz|dni|dzie|tyg|mies|lat",
    ago="temu",
    days="wczoraj|dzisiaj|dziś",
)

_BYLINES = BylineWords(
    by="autorka|autorzy|napisał|napisała|opracował|opracowała|tekst",
    nouns="tekst",
    sure="napisał",
    author="autorzy",
    card_labels="napisane przez",
    end_words="opublikowano|aktualizacja|data",
    joins_capitals="i",
    roles=r"redaktor\w*|dziennikarz|dziennikarka",
    others=r"(?:fot|zdjęci[ea]|źródło)\.?\s*[:/©]",
    agencies="PAP",
    nobody="redakcja",
    paths="autorzy",
)

_PAGE_TYPES = PageTypeWords(
    paths={"product": "produkt"},
    texts={
        "cart": "koszyk koszyka",
        "reply": "odpowiedz cytuj",
        "results": "wyniki",
        "ago": "temu",
        "review": "opinie",
    },
)

_FORUM = ForumWords(
    answers="w odpowiedzi (?:na|do)",
    fields={
        "posted": "od autor dodano napisał napisała wysłany w",
        "joined": "dołączył rejestracja",
        "posts": "posty postów wypowiedzi",
        "place": "skąd",
        "action": "odpowiedz cytuj zgłoś",
        "edited": "edytowany edytowano",
        "page": "strona",
        "rank": "użytkownik moderator",
    },
    byline="od|autor",
    edited=r"edytowan\w+",
    profiles="uzytkown",
    quote_labels="cytat|cytuję",
    said=r"napisała?|napisał\(a\)|pisze",
    dateparser=True,
)

_NOTICES = {
    "script": (
        "włącz javascript|włączyć javascript|włącz obsługę javascript|"
        "javascript jest wyłączony|wymaga javascript|ładowanie|proszę czekać|"
        "trwa wczytywanie"
    ),
    "consent": (
        "cenimy twoją prywatność|szanujemy twoją prywatność|zaakceptuj wszystkie|"
        "akceptuję wszystkie|przejdź do serwisu|wyrażam zgodę"
    ),
    "paywall": (
        "tylko dla prenumeratorów|tylko dla subskrybentów|czytaj dalej z|kup dostęp|"
        "wykup dostęp|dostęp do artykułu|masz już prenumeratę"
    ),
    "login": (
        "zaloguj się, aby|zaloguj się aby|nie pamiętasz hasła|zapomniałeś hasła|"
        "musisz być zalogowany|zapamiętaj mnie"
    ),
    "error": (
        "nie znaleziono|nie istnieje|nie została znaleziona|nie jest już dostępna|"
        "brak dostępu|odmowa dostępu|błąd 404|coś poszło nie tak|prace techniczne"
    ),
}

_KIND_PHRASES = {
    "teaser": (
        "czytaj także|czytaj też|czytaj również|czytaj więcej|zobacz także|zobacz też|"
        "zobacz również|przeczytaj także|przeczytaj też|polecamy|podobne artykuły|"
        "powiązane artykuły|najczęściej czytane|najpopularniejsze|może cię zainteresować|"
        "to może cię zainteresować|więcej na ten temat"
    ),
    "promo": (
        "zapisz się do newslettera|zapisz się na newsletter|udostępnij|podziel się|"
        "obserwuj nas|śledź nas|polub nas|pobierz aplikację|wesprzyj nas|zapisz się|"
        "kup dostęp"
    ),
    "notice": (
        "ta strona używa plików cookie|ta strona używa cookies|używamy plików cookie|"
        "strona korzysta z plików cookies|serwis wykorzystuje pliki cookies|"
        "akceptuj wszystkie|cenimy twoją prywatność|tylko dla prenumeratorów|"
        "włącz obsługę javascript|wypróbuj prenumeratę|artykuł dostępny|treść dostępna|"
        "pełne korzystanie z serwisu"
    ),
    "legal": (
        "wszelkie prawa zastrzeżone|wszystkie prawa zastrzeżone|polityka prywatności|"
        "regulamin serwisu"
    ),
}

POLISH = Language(
    code="pl",
    names="polish",
    function_words=("i w na z się nie do to że jest o jak od po za przez ale dla są co był oraz"),
    comments="komentarz komentarze komentarzy",
    phrases=_PHRASES,
    dates=_DATES,
    bylines=_BYLINES,
    page_types=_PAGE_TYPES,
    forum=_FORUM,
    notices=_NOTICES,
    kind_phrases=_KIND_PHRASES,
)
