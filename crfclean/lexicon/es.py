"""Words of Spanish."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, DateWords, ForumWords, Language, PageTypeWords

_PHRASES = {
    "related": "más noticias|noticias relacionadas|lee también|te puede interesar",
    "comments": "comentario",
    "share": "compartir|imprimir",
    "legal": "derechos reservados|aviso legal",
    "subscribe": "suscríb|inicia",
    "byline": "por |publicado|fuente",
    "navigate": "inicio|siguiente|anterior",
    "ad": "publicidad",
    "tags": "etiquetas|categor",
}

_DATES = DateWords(
    months=(
        *("enero ene", "febrero feb", "marzo mar", "abril abr", "mayo may", "junio jun"),
        *("julio jul", "agosto ago", "septiembre set sep", "octubre oct", "noviembre nov"),
        "diciembre dic",
    ),
    month_stems="ene abr ago dic",
    before_date="el",
    before_month="de",
    before_year="de|del",
    before_clock="a las ",
    published="publicad|escrito|fecha",
    modified="actualizad|modificad",
    units="segundo|minuto|hora|d[ií]a|semana|mes|a[nñ]o",
    one="una?",
    ago="atrás",
    before_units="hace",
    days="ayer|hoy",
)

_BYLINES = BylineWords(
    by=r"por|escrito por|publicado por|autora|autores|texto(?=\s*:)",
    sure="escrito por",
    inside="[Pp]or",
    labels="por|autor",
    card_labels="escrito por",
    end_words="publicado|actualizado",
    joins="con",
    joins_capitals="y",
    roles=r"periodista|redactora?|corresponsal|enviad[oa] especial|reporter[oa]",
    others=(
        r"(?:fotos?|imagen|imágenes|fotografías?|vídeo)\s*(?:[:©]|de\b|por\b)|"
        r"más (?:noticias|artículos)|ver más"
    ),
    agencies="EFE|Europa Press",
    organisations="redacción agencia agencias universidad fundación asociación diario es",
    nobody="inicio redacción buscar",
    paths="autor(?:es)?",
)

_PAGE_TYPES = PageTypeWords(
    paths={"article": "articulo", "forum": "foro", "product": "producto"},
    texts={"cart": "carrito", "reply": "responder"},
)

_FORUM = ForumWords(
    answers="en respuesta a",
    fields={
        "posted": "escrito por publicado enviado el",
        "joined": "registrado registro ingreso",
        "posts": "mensajes",
        "place": "ubicación",
        "action": "responder",
        "edited": "editado",
        "page": "página",
        "rank": "miembro",
    },
    edited="editado",
    profiles="usuario",
    quote_labels="cita|cita de|iniciado por|publicado originalmente por",
    said="escribió|escribio|ha escrito|dijo",
    dateparser=True,
)

_NOTICES = {
    "script": (
        "activar javascript|active javascript|activa javascript|habilitar javascript|"
        "habilite javascript|habilita javascript|javascript está deshabilitado|"
        "requiere javascript|cargando|un momento|espere por favor"
    ),
    "consent": (
        "valoramos su privacidad|valoramos tu privacidad|aceptar todo|aceptar todas|"
        "aceptar cookies|aceptar y continuar|su consentimiento"
    ),
    "paywall": (
        "exclusivo para suscriptores|solo para suscriptores|suscríbete para|"
        "para seguir leyendo|ya eres suscriptor|sigue leyendo"
    ),
    "login": (
        "inicie sesión|inicia sesión para|olvidaste tu contraseña|olvidó su contraseña|"
        "olvidado tu contraseña|debes iniciar sesión|recuérdame"
    ),
    "error": (
        "página no encontrada|no encontrada|no se encontró|no existe|"
        "ya no está disponible|no se ha encontrado|acceso denegado|error 404|"
        "algo salió mal|en mantenimiento"
    ),
}

_KIND_PHRASES = {
    "teaser": (
        "lea también|lee también|te puede interesar|también te puede interesar|"
        "noticias relacionadas|artículos relacionados|entradas relacionadas|"
        "contenido relacionado|más noticias|lo más leído|lo más visto|más leídas|"
        "ver también|no te pierdas|entradas recientes|artículo siguiente|artículo anterior|"
        "le puede interesar|puedes ver|puede ver|mira también|vea también|vea además|"
        "lea más|lee más|leer más|leé también|más información|últimas noticias|"
        "temas relacionados|notas recomendadas|otras noticias"
    ),
    "promo": (
        "suscríbete|suscríbase|compartir en|comparte esta|comparte este|compartir esta|"
        "síguenos|síganos|descarga la app|descarga nuestra app|haz una donación|"
        "recibe el boletín|recibe los boletines|recibe nuestro|regístrate gratis|dona aquí|"
        "ayúdanos|apóyanos|copiar enlace|síguenos en"
    ),
    "notice": (
        "utilizamos cookies|usamos cookies|este sitio utiliza cookies|"
        "este sitio web utiliza cookies|esta web utiliza cookies|aceptar cookies|"
        "aceptar todas|configuración de cookies|valoramos tu privacidad|"
        "contenido exclusivo para suscriptores|ya soy suscriptor|habilite javascript|"
        "active javascript|tu suscripción se está usando|si continúas leyendo|"
        "si quieres seguir leyendo|para continuar leyendo|has alcanzado el límite|"
        "este contenido es exclusivo|contenido exclusivo|inicia sesión o regístrate|"
        "suscríbete para seguir"
    ),
    "legal": (
        "todos los derechos reservados|aviso legal|política de privacidad|"
        "términos y condiciones|términos de uso"
    ),
}

SPANISH = Language(
    code="es",
    names="spanish",
    function_words=("de la que el en y los del se las por un para con una su al no es lo como más"),
    comments="comentario comentarios",
    phrases=_PHRASES,
    dates=_DATES,
    bylines=_BYLINES,
    page_types=_PAGE_TYPES,
    forum=_FORUM,
    notices=_NOTICES,
    kind_phrases=_KIND_PHRASES,
)
