"""Words of class and id, roles and tags that say what a part of a page is for.

They are evidence among other evidence: a wrong or missing word costs little. Words of several
languages stand together, since authors of templates mix them.
"""

from __future__ import annotations

from functools import cache

MARKUP = {
    "article": (
        "article artikel artykul articulo articolo articles articleBody artigo clanek statja "
        "statya arthro wenzhang news story newsarticle blogposting hentry"
    ),
    "content": (
        "content contents inhalt tresc obsah contenido contenu contenuto conteudo kontent "
        "neirong zhengwen pagecontent maincontent contentbody text texte texto testo copy tekst"
    ),
    "body": (
        "body articlebody entrycontent postcontent postbody storybody articletext "
        "articlecontent storycontent articleContent textbody bodytext bodycopy prose richtext "
        "wysiwyg markdown rte reviewbody detailtext newstext postentry single"
    ),
    "main": "main primary center central columnmain maincol hauptteil glowna",
    "post": (
        "post posts entry blog beitrag wpis wp zapis prispevek message msg thread reply topic "
        "forum postbit viewtopic postmessage discussion conversation"
    ),
    "title": (
        "title headline heading titel tytul titre titulo titolo nadpis zagolovok titlos biaoti "
        "pagetitle entrytitle posttitle hed"
    ),
    "lead": (
        "lead lede summary intro abstract excerpt standfirst teaser anons perex chapeau deck "
        "description subtitle subheadline zajawka desc dek kicker"
    ),
    "author": (
        "author authors autor auteur byline by writer writtenby avtor contributor vcard fn "
        "zuozhe redaktor signature"
    ),
    "date": (
        "date datum data datetime time published pubdate timestamp posted updated modified "
        "datetime fecha shijian zeit dateline"
    ),
    "meta": (
        "meta info infos metadata details postmeta entrymeta articleinfo source counter views "
        "zrodlo stats readtime"
    ),
    "caption": (
        "caption captions figcaption credit wpcaption imagecaption legend copyright "
        "bildunterschrift podpis legende photocredit cutline"
    ),
    "media": (
        "image images img photo photos foto fotos picture figure gallery galerie galeria media "
        "slideshow slider carousel swiper slide thumbnail thumb thumbs bild zdjecie"
    ),
    "comment": (
        "comment comments commentlist kommentar kommentare komentarz komentarze komentar "
        "comentario comentarios commento commentaires commentaire disqus respond replies "
        "pinglun kommentarii sxolia usercomments feedback"
    ),
    "share": (
        "share sharing social socials facebook twitter whatsapp linkedin pinterest instagram "
        "addthis addtoany sharedaddy follow like likes tweet fb telegram teilen udostepnij"
    ),
    "related": (
        "related recommended recommend recommendations similar more morenews also "
        "readmore seealso powiazane pohozhie trending popular mostread mostpopular latest "
        "recent top recirc outbrain taboola xiangguan zem crosslink youmaylike upnext "
        "recentposts"
    ),
    "nav": (
        "nav navi navbar navigation menu menus submenu mainmenu topmenu sitemap breadcrumb "
        "breadcrumbs pathway megamenu hamburger toc skip skiplink jump tabs tab toolbar lang "
        "language"
    ),
    "header": (
        "header head masthead banner top topbar logo branding kopf hlavicka naglowek siteheader"
    ),
    "footer": (
        "footer foot bottom stopka fuss legal copyright impressum disclaimer privacy terms "
        "colophon subfooter pied"
    ),
    "sidebar": (
        "sidebar sidebars side aside right rightcol left leftcol widget widgets rail column "
        "panel panels box boxes secondary complementary rechts links tertiary extra"
    ),
    "ad": (
        "ad ads advert advertisement adsense adbox sponsor sponsored promo promotion werbung "
        "reklama anzeige publicidad pub dfp banner commercial affiliate guanggao"
    ),
    "form": (
        "form login signin signup register search newsletter subscribe subscription contact "
        "input field button btn cta submit mail email optin suche szukaj donate paywall captcha"
    ),
    "tag": (
        "tag tags taglist category categories cat kategorie topics keywords label labels badge "
        "chip rubrik rubric section sections tematy"
    ),
    "list": (
        "list lists listing feed grid card cards item items tile tiles row results result loop "
        "archive archives index collection products hits entries streams masonry"
    ),
    "product": (
        "product products price prices sku cart shop woocommerce buy review reviews rating "
        "ratings stars variant variants spec specs specification specifications attributes "
        "features availability stock wishlist quantity shipping"
    ),
    "user": (
        "user users username avatar profile member nick nickname rank joined useravatar "
        "userinfo postprofile poster gravatar karma badges"
    ),
    "quote": (
        "quote quotes blockquote pullquote cite citation quoted testimonial testimonials zitat"
    ),
    "code": (
        "code highlight highlighter pre codehilite syntax snippet docs doc documentation api "
        "reference manual wiki guide tutorial sphinx readthedocs example signature"
    ),
    "faq": (
        "faq faqs accordion collapse collapsible toggle question answer answers questions "
        "expandable qa"
    ),
    "overlay": (
        "cookie cookies consent gdpr modal popup overlay dialog notice alert toast lightbox "
        "tooltip drawer offcanvas adblock warning notification"
    ),
    "hidden": (
        "hidden hide sr only visuallyhidden screenreadertext screen reader print noprint "
        "invisible assistive offscreen"
    ),
    "pager": (
        "pagination pager paging next prev previous pages pagelinks wppagenavi older newer "
        "loadmore weiter nastepna"
    ),
    "hero": (
        "hero section feature features service services about benefit benefits landing intro "
        "block elementor wpb vcrow jumbotron pagebuilder"
    ),
    "event": (
        "event events recipe recipes ingredients instructions job jobs calendar schedule "
        "opening hours address location map venue"
    ),
    "tool": (
        "tools tool toolbar actions action options controls edit report flag permalink print "
        "download bookmark save"
    ),
}
"""Group -> words of class and id; two successive words also count as one ("main-content")."""

KIND_MARKUP = {
    "for_lead": (
        "lead lede standfirst deck dek subtitle subhead subheadline subheading excerpt summary "
        "intro chapeau perex vorspann zajawka entradilla bajada sommario sottotitolo ingress "
        "manchet einleitung podtitle podtitul subtitulo articlelead articleintro articlesummary "
        "articledescription postexcerpt"
    ),
    "for_teaser": (
        "related recommended recommendation recommendations mostread mostpopular trending "
        "seealso readalso alsoread morenews morestories morefrom recirc recirculation outbrain "
        "taboola youmaylike youmightlike upnext recentposts latestnews latestposts popularposts "
        "recentcomments latestcomments lastcomments recententries topstories mostviewed "
        "mostcommented mostshared morefromus moretopic moreposts relatedposts upsell crosssell "
        "crossselling lastseen nextarticle prevarticle nextpost prevpost crosslink teasers "
        "xiangguan powiazane souvisejici verwandte"
    ),
    "for_promo": (
        "newsletter newsletters subscribe subscription signup optin mailchimp share sharing "
        "sharebar sharethis sharedaddy addthis addtoany socials socialshare socialsharing "
        "sociallinks socialicons socialbuttons socialbar followus donate donation donations "
        "crowdfunding promo promos promotion advert adverts advertisement advertisements adsense "
        "adbox adslot adunit adspace adbanner adcontainer adwrapper adplacement sponsor sponsored "
        "publicidad werbung anzeige reklama guanggao appstore appdownload downloadapp"
    ),
    "for_notice": (
        "cookie cookies consent gdpr regwall adblock adblocker onetrust didomi "
        "cookiebar cookiebanner cookienotice"
    ),
    "for_card": "teaser teaserbox teaseritem articleteaser contentteaser newsteaser",
    "for_navigation": (
        "nav navi navbar navigation menu menus submenu mainmenu topmenu sitemap breadcrumb "
        "breadcrumbs pathway megamenu hamburger toc skiplink skiplinks pagination pager paging "
        "pagelinks wppagenavi loadmore tagcloud"
    ),
    "for_byline": (
        "byline bylines author authors autor auteur avtor writtenby articleby contributor "
        "contributors vcard dateline pubdate published publishdate postdate posted postedon "
        "entrydate articledate timestamp updated modified datum fecha postmeta entrymeta "
        "articlemeta articleinfo"
    ),
    "for_legal": "copyright impressum imprint disclaimer disclaimers legal colophon",
    "for_note": "footnote footnotes endnote endnotes docendnotes docfootnote",
    "for_site": (
        "logo sitelogo sitetitle sitename sitedescription siteheader sitebranding branding brand "
        "navbarbrand blogtitle blogname blogheader headerlogo pagelogo redditname"
    ),
}
"""Kind of block, or the site's name -> words of class and id of elements that are there for it.

No feature has them.
"""

NETWORKS = (
    "facebook twitter instagram whatsapp linkedin pinterest reddit tumblr telegram youtube tiktok "
    "snapchat threads bluesky mastodon xing flipboard messenger vkontakte odnoklassniki viber "
    "viadeo"
)
"""Social networks, as they are named in texts and hosts."""

NETWORK_HOSTS = (*NETWORKS.split(), "t", "youtu")
"""Names of their hosts, some of them short."""

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
"""Feature -> tags, roles and schema.org properties with the same meaning."""

POST_MARKUP = {
    "body": (
        "body content message post comment text msg entry bbwrapper nachricht beitrag inhalt "
        "texte contenu mensaje texto tekst tresc obsah prispevek zprava postbody postmsg "
        "usercontent messagetext messagecontent cooked markdown md richtext commentbody narrow"
    ),
    "author": (
        "author user username nick nickname member poster userinfo name autor auteur usuario "
        "benutzer uzivatel uzytkownik creator profile vcard fn by person names"
    ),
    "date": (
        "date time datetime timestamp posted published created datum fecha data dateline "
        "permalink ago zeit cas czas datecreated"
    ),
    "not_body": (
        "signature sig footer foot header head user author profile avatar nav menu title subject "
        "sidebar meta reply buttons button tools actions toolbar controls pagination breadcrumb "
        "crumb quote info details rank stats badge share like likes reactions edited notice ad "
        "ads advert banner related similar recommended teaser excerpt latest recent trending "
        "search login form popup dropdown"
    ),
    "record": (
        "post comment message item row article reply postbit response container wrapper block "
        "li topic thread"
    ),
}
"""Group -> words of class and id in and around the posts of forums."""

QUOTE_WORDS = (
    "quote quotes quoted quotation citat zitat citation blockquote quotebox quoteheader quotefooter"
)
POST_NAMES = "post|msg|message|comment|entry|reply|pid|prispevek|p|c"
"""Words in class names of quotes, and words before the number in ids and addresses of posts."""
SIDEBAR_WORDS = "sidebar sidebars"
"""Words in classes and ids of what stands beside the main part of a page."""


@cache
def word_groups() -> dict[str, int]:
    """Word -> bit set of the groups that have it, of `MARKUP`, then of `KIND_MARKUP`."""
    bits: dict[str, int] = {}
    for place, words in enumerate((*MARKUP.values(), *KIND_MARKUP.values())):
        for word in words.lower().split():
            bits[word] = bits.get(word, 0) | 1 << place
    return bits


@cache
def word_prefixes() -> frozenset[str]:
    """All proper prefixes of words of `word_groups`: a word that is none starts no longer one."""
    return frozenset(word[:size] for word in word_groups() for size in range(1, len(word)))


def group_bit(group: str) -> int:
    """The bit of a group of `MARKUP` or `KIND_MARKUP` in `word_groups`."""
    return 1 << [*MARKUP, *KIND_MARKUP].index(group)
