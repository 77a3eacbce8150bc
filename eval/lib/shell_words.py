"""The texts of the pages of our own making, in ten languages."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Words:
    """What pages of a language show, a text for each part.

    `sentences` make an article; `teaser` is its first half. The others are notices.
    """

    lang: str
    title: str
    menu: str
    sentences: tuple[str, ...]
    script: str
    loading: str
    consent: str
    accept: str
    paywall: str
    login: str
    forgot: str
    missing: str
    missing_text: str


WORDS = (
    Words(
        "en",
        "Bridge over the mill stream reopens",
        "News|Weather|Sports|About us|Contact",
        (
            "The old bridge over the mill stream was opened to walkers again on Saturday.",
            "Carpenters from the village had replaced most of its beams during the winter.",
            "The parish paid for the oak, and the work was done by volunteers.",
            "A small market with music went on until the evening.",
        ),
        "You need to enable JavaScript to run this app.",
        "Loading...",
        "We value your privacy. We and our partners store information on your device.",
        "Accept all cookies",
        "Subscribe to continue reading. Already a subscriber?",
        "Please log in to continue",
        "Forgot your password?",
        "404 - Page not found",
        "The page that you are looking for could not be found.",
    ),
    Words(
        "de",
        "Brücke am Mühlbach wieder offen",
        "Nachrichten|Wetter|Sport|Über uns|Kontakt",
        (
            "Die alte Brücke über den Mühlbach ist seit Samstag wieder für Fußgänger offen.",
            "Zimmerleute aus dem Dorf hatten im Winter die meisten Balken erneuert.",
            "Die Gemeinde bezahlte das Eichenholz, die Arbeit leisteten Freiwillige.",
            "Ein kleiner Markt mit Musik dauerte bis in den Abend.",
        ),
        "Bitte aktivieren Sie JavaScript, um diese Seite zu nutzen.",
        "Wird geladen …",
        "Wir schätzen Ihre Privatsphäre. Wir und unsere Partner speichern Daten auf Ihrem Gerät.",
        "Alle akzeptieren",
        "Jetzt abonnieren und weiterlesen. Bereits Abonnent?",
        "Bitte melden Sie sich an",
        "Passwort vergessen?",
        "Seite nicht gefunden",
        "Die gesuchte Seite existiert nicht mehr.",
    ),
    Words(
        "fr",
        "Le pont du ruisseau rouvre",
        "Actualités|Météo|Sport|À propos|Contact",
        (
            "Le vieux pont sur le ruisseau du moulin est rouvert aux piétons depuis samedi.",
            "Des charpentiers du village avaient remplacé la plupart des poutres pendant l'hiver.",
            "La commune a payé le chêne et des bénévoles ont fait le travail.",
            "Un petit marché en musique a duré jusqu'au soir.",
        ),
        "Veuillez activer JavaScript pour utiliser cette application.",
        "Chargement en cours…",
        "Nous respectons votre vie privée. Nos partenaires et nous stockons des informations.",
        "Tout accepter",
        "Cet article est réservé aux abonnés. Déjà abonné ?",
        "Veuillez vous connecter",
        "Mot de passe oublié ?",
        "Page introuvable",
        "La page demandée n'existe plus.",
    ),
    Words(
        "es",
        "Reabre el puente del arroyo",
        "Noticias|Tiempo|Deportes|Quiénes somos|Contacto",
        (
            "El viejo puente sobre el arroyo del molino volvió a abrirse el sábado.",
            "Los carpinteros del pueblo habían cambiado casi todas las vigas en invierno.",
            "El municipio pagó el roble y el trabajo lo hicieron voluntarios.",
            "Un pequeño mercado con música duró hasta la noche.",
        ),
        "Es necesario habilitar JavaScript para usar esta aplicación.",
        "Cargando...",
        "Valoramos su privacidad. Nosotros y nuestros socios almacenamos información.",
        "Aceptar todo",
        "Contenido exclusivo para suscriptores. ¿Ya eres suscriptor?",
        "Inicie sesión",
        "¿Olvidó su contraseña?",
        "Página no encontrada",
        "La página que busca ya no está disponible.",
    ),
    Words(
        "it",
        "Riapre il ponte sul ruscello",
        "Notizie|Meteo|Sport|Chi siamo|Contatti",
        (
            "Il vecchio ponte sul ruscello del mulino è di nuovo aperto da sabato.",
            "I falegnami del paese avevano sostituito quasi tutte le travi durante l'inverno.",
            "Il comune ha pagato la quercia e il lavoro è stato fatto da volontari.",
            "Un piccolo mercato con musica è durato fino a sera.",
        ),
        "È necessario abilitare JavaScript per usare questa applicazione.",
        "Caricamento...",
        "La tua privacy è importante. Noi e i nostri partner conserviamo informazioni.",
        "Accetta tutti",
        "Articolo riservato agli abbonati. Sei già abbonato?",
        "Effettua il login",
        "Password dimenticata?",
        "Pagina non trovata",
        "La pagina richiesta non è più disponibile.",
    ),
    Words(
        "nl",
        "Brug over de molenbeek weer open",
        "Nieuws|Weer|Sport|Over ons|Contact",
        (
            "De oude brug over de molenbeek is sinds zaterdag weer open voor wandelaars.",
            "Timmerlieden uit het dorp hadden in de winter de meeste balken vervangen.",
            "De gemeente betaalde het eikenhout en vrijwilligers deden het werk.",
            "Een kleine markt met muziek duurde tot de avond.",
        ),
        "Schakel JavaScript in om deze app te gebruiken.",
        "Bezig met laden...",
        "Wij waarderen uw privacy. Wij en onze partners bewaren gegevens op uw apparaat.",
        "Alles accepteren",
        "Alleen voor abonnees. Al abonnee? Lees verder met een abonnement.",
        "Log in om verder te gaan",
        "Wachtwoord vergeten?",
        "Pagina niet gevonden",
        "De pagina bestaat niet of is niet meer beschikbaar.",
    ),
    Words(
        "pl",
        "Most nad młynówką znów otwarty",
        "Wiadomości|Pogoda|Sport|O nas|Kontakt",
        (
            "Stary most nad młynówką jest od soboty znów otwarty dla pieszych.",
            "Cieśle ze wsi wymienili zimą większość belek.",
            "Gmina zapłaciła za dębowe drewno, a pracę wykonali ochotnicy.",
            "Mały targ z muzyką trwał do wieczora.",
        ),
        "Włącz JavaScript, aby korzystać z tej aplikacji.",
        "Ładowanie...",
        "Szanujemy Twoją prywatność. My i nasi partnerzy przechowujemy dane.",
        "Zaakceptuj wszystkie",
        "Artykuł tylko dla prenumeratorów. Masz już prenumeratę?",
        "Zaloguj się, aby przejść dalej",
        "Nie pamiętasz hasła?",
        "Nie znaleziono strony",
        "Strona nie istnieje.",
    ),
    Words(
        "cs",
        "Most přes náhon je zase otevřený",
        "Zprávy|Počasí|Sport|O nás|Kontakt",
        (
            "Starý most přes mlýnský náhon je od soboty zase otevřený pro pěší.",
            "Tesaři z vesnice během zimy vyměnili většinu trámů.",
            "Obec zaplatila dubové dřevo a práci odvedli dobrovolníci.",
            "Malý trh s hudbou trval až do večera.",
        ),
        "Pro použití této aplikace povolte JavaScript.",
        "Načítání…",
        "Vážíme si vašeho soukromí. My a naši partneři ukládáme informace.",
        "Přijmout vše",
        "Článek jen pro předplatitele. Máte předplatné?",
        "Přihlaste se",
        "Zapomenuté heslo?",
        "Stránka nenalezena",
        "Požadovaná stránka neexistuje.",
    ),
    Words(
        "pt",
        "Reabre a ponte sobre o ribeiro",
        "Notícias|Tempo|Desporto|Sobre nós|Contato",
        (
            "A velha ponte sobre o ribeiro do moinho voltou a abrir no sábado.",
            "Os carpinteiros da aldeia tinham trocado quase todas as vigas no inverno.",
            "O município pagou o carvalho e o trabalho foi feito por voluntários.",
            "Um pequeno mercado com música durou até à noite.",
        ),
        "É preciso ativar o JavaScript para usar esta aplicação.",
        "Carregando...",
        "Valorizamos a sua privacidade. Nós e os nossos parceiros guardamos informações.",
        "Aceitar todos",
        "Conteúdo exclusivo para assinantes. Já é assinante?",
        "Faça login",
        "Esqueceu a senha?",
        "Página não encontrada",
        "A página que procura não existe.",
    ),
    Words(
        "ru",
        "Мост через ручей снова открыт",
        "Новости|Погода|Спорт|О нас|Контакты",
        (
            "Старый мост через мельничный ручей с субботы снова открыт для пешеходов.",
            "Плотники из деревни за зиму заменили большую часть балок.",
            "Дубовые доски оплатила община, а работу сделали добровольцы.",
            "Небольшая ярмарка с музыкой шла до вечера.",
        ),
        "Включите JavaScript, чтобы пользоваться приложением.",
        "Загрузка...",
        "Мы ценим вашу конфиденциальность. Мы и наши партнёры храним данные.",
        "Принять все",
        "Доступно подписчикам. Чтобы прочитать полностью, оформите подписку.",
        "Войдите в свой аккаунт",
        "Забыли пароль?",
        "Страница не найдена",
        "Запрошенная страница не существует.",
    ),
)
