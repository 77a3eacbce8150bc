"""Nothing -> words that tell what a part of a page is for, in several languages.

`MARKUP` has words of class and id attributes, roles and tags; `PHRASES` what short blocks and
headings say. Both are evidence among others: a wrong or missing word costs little.
"""

from __future__ import annotations

from functools import cache

MARKUP = {
    "article": "article artikel artykul articulo articolo articles articleBody artigo clanek statja "
    "statya arthro wenzhang news story newsarticle blogposting hentry",
    "content": "content contents inhalt tresc obsah contenido contenu contenuto conteudo kontent "
    "neirong zhengwen pagecontent maincontent contentbody text texte texto testo copy tekst",
    "body": "body articlebody entrycontent postcontent postbody storybody articletext articlecontent "
    "storycontent articleContent textbody bodytext bodycopy prose richtext wysiwyg markdown rte "
    "reviewbody detailtext newstext postentry td-post-content single",
    "main": "main primary center central columnmain maincol hauptteil glowna",
    "post": "post posts entry blog beitrag wpis wp zapis prispevek message msg thread reply topic "
    "forum postbit viewtopic postmessage discussion conversation",
    "title": "title headline heading titel tytul titre titulo titolo nadpis zagolovok titlos biaoti "
    "pagetitle entrytitle posttitle hed",
    "lead": "lead lede summary intro abstract excerpt standfirst teaser anons perex chapeau deck "
    "description subtitle subheadline zajawka desc dek kicker",
    "author": "author authors autor auteur byline by writer writtenby avtor contributor vcard fn "
    "zuozhe redaktor signature",
    "date": "date datum data datetime time published pubdate timestamp posted updated modified "
    "datetime fecha shijian zeit dateline",
    "meta": "meta info infos metadata details postmeta entrymeta articleinfo source counter views "
    "zrodlo stats readtime",
    "caption": "caption captions figcaption credit wpcaption imagecaption legend copyright "
    "bildunterschrift podpis legende photocredit cutline",
    "media": "image images img photo photos foto fotos picture figure gallery galerie galeria media "
    "slideshow slider carousel swiper slide thumbnail thumb thumbs bild zdjecie",
    "comment": "comment comments commentlist kommentar kommentare komentarz komentarze komentar "
    "comentario comentarios commento commentaires commentaire disqus respond replies pinglun "
    "kommentarii sxolia usercomments feedback",
    "share": "share sharing social socials facebook twitter whatsapp linkedin pinterest instagram "
    "addthis addtoany sharedaddy follow like likes tweet fb telegram teilen udostepnij",
    "related": "related recommended recommend recommendations similar similar more morenews also "
    "readmore seealso powiazane pohozhie trending popular mostread mostpopular latest recent top "
    "recirc outbrain taboola xiangguan zem crosslink youmaylike upnext recentposts",
    "nav": "nav navi navbar navigation menu menus submenu mainmenu topmenu sitemap breadcrumb "
    "breadcrumbs pathway megamenu hamburger toc skip skiplink jump tabs tab toolbar lang language",
    "header": "header head masthead banner top topbar logo branding kopf hlavicka naglowek siteheader",
    "footer": "footer foot bottom stopka fuss legal copyright impressum disclaimer privacy terms "
    "colophon subfooter pied footnotes",
    "sidebar": "sidebar sidebars side aside right rightcol left leftcol widget widgets rail column "
    "panel panels box boxes secondary complementary rechts links tertiary extra",
    "ad": "ad ads advert advertisement adsense adbox sponsor sponsored promo promotion werbung "
    "reklama anzeige publicidad pub dfp banner commercial affiliate guanggao",
    "form": "form login signin signup register search newsletter subscribe subscription contact "
    "input field button btn cta submit mail email optin suche szukaj donate paywall captcha",
    "tag": "tag tags taglist category categories cat kategorie topics keywords label labels badge "
    "chip rubrik rubric section sections tematy",
    "list": "list lists listing feed grid card cards item items tile tiles row results result loop "
    "archive archives index collection products hits entries streams masonry",
    "product": "product products price prices sku cart shop woocommerce buy review reviews rating "
    "ratings stars variant variants spec specs specification specifications attributes features "
    "availability stock wishlist quantity shipping",
    "user": "user users username avatar profile member nick nickname rank joined useravatar "
    "userinfo postprofile poster gravatar karma badges",
    "quote": "quote quotes blockquote pullquote cite citation quoted testimonial testimonials zitat",
    "code": "code highlight highlighter pre codehilite syntax snippet docs doc documentation api "
    "reference manual wiki guide tutorial sphinx readthedocs example signature",
    "faq": "faq faqs accordion collapse collapsible toggle question answer answers questions "
    "expandable qa",
    "overlay": "cookie cookies consent gdpr modal popup overlay dialog notice alert toast lightbox "
    "tooltip drawer offcanvas adblock warning notification",
    "hidden": "hidden hide sr only visuallyhidden screenreadertext screen reader print noprint "
    "invisible assistive offscreen",
    "pager": "pagination pager paging next prev previous pages pagelinks wppagenavi older newer "
    "loadmore weiter nastepna",
    "hero": "hero section feature features service services about benefit benefits landing intro "
    "block elementor wpb vc_row jumbotron pagebuilder",
    "event": "event events recipe recipes ingredients instructions job jobs calendar schedule "
    "opening hours address location map venue",
    "tool": "tools tool toolbar actions action options controls edit report flag permalink print "
    "download bookmark save",
}
"""Group -> words of class and id attributes; two words that follow each other count as one, too."""

TAGS = {
    "in_article": ("article",),
    "in_main": ("main", "role=main"),
    "in_nav": ("nav", "menu", "role=navigation", "role=menu", "role=menubar"),
    "in_aside": ("aside", "role=complementary"),
    "in_footer": ("footer", "role=contentinfo"),
    "in_header": ("header", "role=banner"),
    "in_section": ("section", "role=region"),
    "in_figure": ("figure", "figcaption", "picture"),
    "in_cell": ("td", "th"),
    "in_item": ("li", "dd", "dt", "role=listitem"),
    "in_link": ("a",),
    "in_button": ("button", "label", "select", "role=button", "role=tab"),
    "in_search": ("search", "role=search", "form", "fieldset"),
    "in_quote": ("blockquote", "q", "cite"),
    "in_code": ("pre", "code", "samp", "kbd"),
    "in_dialog": ("dialog", "role=dialog", "role=alert", "role=alertdialog"),
    "in_details": ("details", "summary", "role=tabpanel"),
    "in_time": ("time", "itemprop=datepublished", "itemprop=datemodified"),
    "in_body": ("itemprop=articlebody", "itemprop=text", "itemprop=reviewbody"),
    "in_author": ("address", "itemprop=author", "rel=author", "itemprop=name"),
    "in_caption": ("caption", "figcaption", "itemprop=caption"),
    "in_description": ("itemprop=description", "itemprop=headline"),
    "in_offer": ("itemprop=offers", "itemprop=price", "itemprop=aggregaterating"),
    "in_comment": ("itemprop=comment", "itemtype=comment", "itemprop=commenttext"),
    "in_posting": ("itemtype=discussionforumposting", "itemtype=question", "itemtype=answer"),
    "in_crumbs": ("itemprop=breadcrumb", "itemtype=breadcrumblist", "itemprop=itemlistelement"),
}
"""Feature -> tags, roles and schema.org properties that say the same."""

PHRASES = {
    "related": "related|read more|read also|see also|more from|more stories|more news|more on|you may "
    "also like|you might also like|recommended|trending|popular|most read|latest news|latest posts|"
    "recent posts|top stories|don't miss|up next|similar|czytaj tak\u017ce|czytaj te\u017c|czytaj "
    "wi\u0119cej|zobacz tak\u017ce|zobacz te\u017c|wi\u0119cej|polecamy|najnowsze|najpopularniejsze|"
    "przeczytaj|powi\u0105zane|\u0447\u0438\u0442\u0430\u0439\u0442\u0435 \u0442\u0430\u043a\u0436\u0435|"
    "\u0447\u0438\u0442\u0430\u0442\u044c|\u0441\u043c\u043e\u0442\u0440\u0438\u0442\u0435|\u043f\u043e "
    "\u0442\u0435\u043c\u0435|\u043d\u043e\u0432\u043e\u0441\u0442\u0438 \u043f\u043e|\u0434\u0440\u0443\u0433\u0438\u0435|"
    "\u043f\u043e\u0445\u043e\u0436\u0438\u0435|\u043f\u043e\u043f\u0443\u043b\u044f\u0440\u043d|"
    "\u043f\u043e\u0441\u043b\u0435\u0434\u043d\u0438\u0435|\u0433\u043b\u0430\u0432\u043d\u044b\u0435|"
    "\u0435\u0449\u0435|\u03c3\u03c7\u03b5\u03c4\u03b9\u03ba|\u03b4\u03b9\u03b1\u03b2\u03ac\u03c3\u03c4\u03b5|"
    "\u03c0\u03b5\u03c1\u03b9\u03c3\u03c3\u03cc\u03c4\u03b5\u03c1|\u03b4\u03b5\u03af\u03c4\u03b5|"
    "\u03b4\u03b7\u03bc\u03bf\u03c6\u03b9\u03bb|\u03c4\u03b5\u03bb\u03b5\u03c5\u03c4\u03b1\u03af|"
    "\u76f8\u5173|\u63a8\u8350|\u70ed\u70b9|\u70ed\u95e8|\u66f4\u591a|\u7cbe\u5f69|\u6392\u884c|"
    "\u5ef6\u4f38\u9605\u8bfb|\u76f8\u95dc|mehr zum thema|weitere|lesen sie auch|auch interessant|"
    "meistgelesen|verwandte|\u00e0 lire aussi|lire aussi|voir aussi|articles li\u00e9s|"
    "m\u00e1s noticias|noticias relacionadas|lee tambi\u00e9n|te puede interesar|leggi anche|"
    "dal\u0161\u00ed|souvisej\u00edc\u00ed|p\u0159e\u010dt\u011bte|\u010dt\u011bte|nejnov\u011bj\u0161\u00ed|"
    "nej\u010dten\u011bj\u0161\u00ed|\u95a2\u9023|\u4eba\u6c17|\u0645\u0642\u0627\u0644\u0627\u062a|"
    "\u0627\u0642\u0631\u0623",
    "comments": "comment|leave a reply|leave a comment|reply|join the discussion|discussion|responses|"
    "komentarz|dodaj komentarz|opinie|\u043a\u043e\u043c\u043c\u0435\u043d\u0442\u0430\u0440|"
    "\u043e\u0442\u0437\u044b\u0432|\u043e\u0431\u0441\u0443\u0434|\u03c3\u03c7\u03cc\u03bb\u03b9|"
    "\u8bc4\u8bba|\u7559\u8a00|\u7f51\u53cb|\u8a55\u8ad6|kommentar|commentaire|comentario|commenti|"
    "diskuse|koment\u00e1\u0159|diskusia|\u30b3\u30e1\u30f3\u30c8|\u062a\u0639\u0644\u064a\u0642",
    "share": "share|tweet|follow us|follow|like us|facebook|twitter|whatsapp|print|email this|"
    "udost\u0119pnij|drukuj|podziel si\u0119|\u043f\u043e\u0434\u0435\u043b\u0438\u0442|"
    "\u043f\u043e\u0434\u043f\u0438\u0441|\u0440\u0430\u0441\u043f\u0435\u0447\u0430\u0442|"
    "\u03ba\u03bf\u03b9\u03bd\u03bf\u03c0\u03bf\u03af|\u5206\u4eab|\u6253\u5370|\u8f6c\u53d1|"
    "\u5fae\u535a|teilen|drucken|partager|imprimer|compartir|imprimir|condividi|stampa|sd\u00edlet|"
    "tisk|vytisknout",
    "legal": "copyright|all rights reserved|\u00a9|terms of|privacy|cookie|disclaimer|gdpr|"
    "wszelkie prawa|polityka prywatno|regulamin|\u0432\u0441\u0435 \u043f\u0440\u0430\u0432\u0430|"
    "\u043f\u043e\u043b\u0438\u0442\u0438\u043a\u0430 \u043a\u043e\u043d|\u03c0\u03bd\u03b5\u03c5\u03bc\u03b1\u03c4\u03b9\u03ba|"
    "\u03cc\u03c1\u03bf\u03b9 \u03c7\u03c1\u03ae\u03c3|\u7248\u6743|\u514d\u8d23|\u5907\u6848|\u7248\u6b0a|"
    "alle rechte|impressum|datenschutz|tous droits|mentions l\u00e9gales|derechos reservados|"
    "aviso legal|diritti riservati|v\u0161echna pr\u00e1va|ochrana osobn",
    "subscribe": "subscribe|newsletter|sign up|sign in|log in|login|register|create an account|"
    "already a member|zaloguj|zapisz si\u0119|zarejestruj|\u0432\u043e\u0439\u0442\u0438|"
    "\u0440\u0435\u0433\u0438\u0441\u0442\u0440\u0430\u0446|\u0440\u0430\u0441\u0441\u044b\u043b|"
    "\u03b5\u03b3\u03b3\u03c1\u03b1\u03c6|\u03c3\u03cd\u03bd\u03b4\u03b5\u03c3|\u767b\u5f55|\u6ce8\u518c|"
    "\u8ba2\u9605|anmelden|registrieren|abonnieren|s'inscrire|se connecter|suscr\u00edb|inicia|iscriviti|"
    "p\u0159ihl\u00e1sit|registrovat|odeb\u00edr",
    "byline": "by |written by|posted by|posted on|published|updated|last modified|author|source:|"
    "photo:|autor|\u017ar\u00f3d\u0142o|fot\\.|\u0430\u0432\u0442\u043e\u0440|"
    "\u0438\u0441\u0442\u043e\u0447\u043d\u0438\u043a|\u0444\u043e\u0442\u043e|\u03c0\u03b7\u03b3\u03ae|"
    "\u03c4\u03bf\u03c5 |\u03c4\u03b7\u03c2 |\u6765\u6e90|\u4f5c\u8005|\u7f16\u8f91|\u8bb0\u8005|"
    "\u8d23\u4efb\u7f16\u8f91|\u4f86\u6e90|von |ver\u00f6ffentlicht|quelle|par |publi\u00e9|por |"
    "publicado|fuente|di |pubblicato|fonte|zdroj|publikov|vydan|napsal",
    "navigate": "home|next|previous|back to|back|skip to|menu|search|contact|about|sitemap|archive|"
    "page \\d|strona g\u0142\u00f3wna|nast\u0119pn|poprzedni|szukaj|kontakt|\u0433\u043b\u0430\u0432\u043d\u0430\u044f|"
    "\u0441\u043b\u0435\u0434\u0443\u044e\u0449|\u043f\u0440\u0435\u0434\u044b\u0434\u0443\u0449|"
    "\u043f\u043e\u0438\u0441\u043a|\u043a\u043e\u043d\u0442\u0430\u043a\u0442|\u03b1\u03c1\u03c7\u03b9\u03ba|"
    "\u03b5\u03c0\u03cc\u03bc\u03b5\u03bd|\u03c0\u03c1\u03bf\u03b7\u03b3\u03bf|\u03b5\u03c0\u03b9\u03ba\u03bf\u03b9\u03bd|"
    "\u9996\u9875|\u4e0a\u4e00|\u4e0b\u4e00|\u8fd4\u56de|\u641c\u7d22|\u8054\u7cfb|startseite|weiter|"
    "zur\u00fcck|suche|accueil|suivant|pr\u00e9c\u00e9dent|inicio|siguiente|anterior|dom\u016f|zp\u011bt|"
    "hledat",
    "ad": "advertisement|sponsored|advert|promoted|buy now|add to cart|shop now|reklama|"
    "\u0440\u0435\u043a\u043b\u0430\u043c|\u03b4\u03b9\u03b1\u03c6\u03ae\u03bc|\u5e7f\u544a|anzeige|"
    "werbung|publicit\u00e9|publicidad|pubblicit",
    "tags": "tags|tag:|filed under|categories|category|topics|keywords|tagi|kategoria|"
    "\u0442\u0435\u0433\u0438|\u043c\u0435\u0442\u043a\u0438|\u0440\u0443\u0431\u0440\u0438\u043a|"
    "\u03b5\u03c4\u03b9\u03ba\u03ad\u03c4|\u03ba\u03b1\u03c4\u03b7\u03b3\u03bf\u03c1|\u6807\u7b7e|"
    "\u5173\u952e\u8bcd|schlagw|kategorie|mots-cl|etiquetas|categor|\u0161t\u00edtky",
}
"""Group -> what a short block or a heading begins with, as a regular expression in lower case."""


@cache
def word_groups() -> dict[str, int]:
    """Word of `MARKUP` -> bits of the groups that have it (bit i: the i-th group)."""
    found: dict[str, int] = {}
    for place, words in enumerate(MARKUP.values()):
        for word in words.lower().split():
            found[word] = found.get(word, 0) | 1 << place
    return found
