"""Words of English."""

from __future__ import annotations

from crfclean.lexicon.language import BylineWords, DateWords, ForumWords, Language, PageTypeWords

_PHRASES = {
    "related": (
        "related|read more|read also|see also|more from|more stories|more news|more on|"
        "you may also like|you might also like|recommended|trending|popular|most read|"
        "latest news|latest posts|recent posts|top stories|don't miss|up next|similar"
    ),
    "comments": (
        "comment|leave a reply|leave a comment|reply|join the discussion|discussion|responses"
    ),
    "share": "share|tweet|follow us|follow|like us|facebook|twitter|whatsapp|print|email this",
    "legal": "copyright|all rights reserved|©|terms of|privacy|cookie|disclaimer|gdpr",
    "subscribe": (
        "subscribe|newsletter|sign up|sign in|log in|login|register|create an account|"
        "already a member"
    ),
    "byline": (
        "by |written by|posted by|posted on|published|updated|last modified|author|source:|photo:"
    ),
    "navigate": (
        "home|next|previous|back to|back|skip to|menu|search|contact|about|sitemap|archive|page \\d"
    ),
    "ad": "advertisement|sponsored|advert|promoted|buy now|add to cart|shop now",
    "tags": "tags|tag:|filed under|categories|category|topics|keywords",
}

_DATES = DateWords(
    months=(
        *("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul"),
        *("august aug", "september sep sept", "october oct", "november nov", "december dec"),
    ),
    month_stems="jan feb mar apr may jun jul aug sep oct nov dec",
    weekdays="monday tuesday wednesday thursday friday saturday sunday",
    ordinals="st|nd|rd|th",
    month_first=True,
    before_date="on",
    before_month="of",
    before_clock="at ",
    published="publish|posted|written|created|released|first appeared|date",
    modified="updat|modified|revised|reviewed|last edit|changed",
    units="sec|min|h(?:ou)?rs?|day|we?e?k|mon?th?|ye?a?r",
    one="an?|one",
    ago="ago",
    days=r"yesterday|today|just now|\d{1,2}[hmdwy] ago",
)

_BYLINES = BylineWords(
    by=(
        "articles by|article by|posts by|view all posts by|by the author|written by|"
        "posted by|published by|authored by|created by|contributed by|story by|words by|text by|"
        "report(?:ed)? by|"
        "(?:words|text|story) (?:and|&) (?:photos?|photography|images|pictures) by|"
        "by|author|authors|written|posted"
    ),
    nouns="words|written|posted",
    sure=(
        r"(?:written|article|story|posted|published|words|authored) by\b|"
        r"(?:authors?|contributors?)(?:\(s\))?\s*(?::|$)"
    ),
    inside="[Bb]y|BY|Author:",
    paragraph="By",
    labels="by|author|authors|written by|posted by",
    card_labels="written by|by|author",
    end_words="published|updated|posted|last|reviewed|edited|fact[- ]checked",
    end=r"\bin\s+[A-Z]|on behalf of|\d+ min\b",
    joins="and|with",
    before_last="and",
    roles=(
        "editor|writer|reporter|contributor|correspondent|director|manager|expert|founder|"
        "co-founder|ceo|cto|cmo|coo|president|officer|specialist|dietitian|nutritionist|analyst|"
        "consultant|engineer|professor|lecturer|journalist|columnist|author|staff writer|head of|"
        "senior|chief|lead|vp|guest|educator|strategist|marketer|developer|coach|therapist|"
        "planner|member|representative|staff|bureau|producer|meteorologist|blogger"
    ),
    titles="dr prof mr mrs ms",
    others=(
        r"(?:medically |clinically |expert |technically )?(?:reviewed|edited|fact[- ]checked|"
        r"checked|updated|sponsored|photo\w*|powered|design\w*|translated|illustrat\w*) by\b|"
        r"learn more|read more|"
        r"(?:(?:cover|lead|main|top|header|featured?|stock|file|staff|courtesy|all) )?"
        r"(?:photos?|images?|pictures?|photograph\w*|illustrations?|graphics?|artwork|videos?)"
        r"(?: credits?| courtesy| source)?(?: of)?\s*(?:[:©]|(?:by|via|courtesy)\b)|"
        r"more (?:stories|articles|posts|news|recipes|content|by|from|about)\b|"
        r"(?:all|latest|recent|other) (?:posts|articles|stories) (?:by|from)\b|see (?:all|more)\b"
    ),
    agencies=(
        "(?:[Tt]he )?Associated Press|Reuters|Agence France-Presse|Bloomberg(?: News)?|AFP|AP|UPI|"
        "PTI|ANI|IANS|Xinhua"
    ),
    organisations=(
        "inc ltd llc corp corporation company group team news times magazine media press online tv "
        "radio agency agencies network institute university foundation association office desk "
        "department services com net org college society club journal post today daily reports"
    ),
    nobody=(
        "agencies admin administrator author authors by unknown guest none null n a editor staff "
        "user webmaster home about contact share follow subscribe comments reply login register "
        "name type human profile categories category tags menu search more"
    ),
    no_part=(
        "log login signin signup sign subscribe comment comments cart menu cookie cookies minutes "
        "min read share newsletter search articles posts categories account author authors "
        "twitter facebook instagram linkedin whatsapp email print says"
    ),
    paths=(
        "authors?|people|staff|profiles?|users?|members?|contributors?|by|team|u|bio|editors?|"
        "writers?|person"
    ),
    site_ends="blog|weblog|site|website|homepage|notes",
)

_PAGE_TYPES = PageTypeWords(
    paths={
        "article": "article articles news story stories blog post posts opinion",
        "forum": (
            "forum forums thread threads topic topics showthread viewtopic discussion discussions "
            "t questions question community r comments"
        ),
        "product": "product products p item dp shop buy pd",
        "collection": "collection collections category categories c shop store all",
        "listing": (
            "tag tags category archive archives list directory search browse jobs events top best"
        ),
        "documentation": (
            "docs doc documentation guide guides reference manual api wiki help tutorial learn "
            "html en latest stable"
        ),
        "service": "services service solutions about pricing features contact company platform",
    },
    hosts={
        "documentation": (
            "docs doc documentation developer developers learn api readthedocs wiki help"
        ),
        "forum": "forum forums community discuss discourse boards",
        "article": "blog news",
        "product": "shop store",
    },
    titles={
        "documentation": "docs documentation reference guide manual tutorial api help",
        "forum": "forum forums thread community discuss discussion topic board reddit question",
        "product": "shop buy store price sale",
        "listing": "best top archives archive category list jobs all",
        "service": "service services company solutions agency software platform law clinic",
        "article": "news blog times magazine",
    },
    texts={
        "cart": "cart basket checkout sku stock shipping quantity",
        "reply": "reply replies quote posts joined thread likes",
        "offer": (
            "started contact request book schedule trial demo team clients services solutions"
        ),
        "docs": (
            "parameters parameter returns example install version deprecated api syntax default"
        ),
        "read": "read continue min",
        "results": "results result sort filter showing items",
        "faq": "faq faqs asked",
        "posted": "by posted published updated written",
        "ago": "ago",
        "review": "review reviews rating ratings stars",
        "first": "i i'm i've i'd my me",
        "you": "you your",
        "we": "we our us",
    },
)

_FORUM = ForumWords(
    answers="in reply to|in response to|replying to|parent",
    fields={
        "posted": "posted written by from on",
        "joined": "joined join registered since",
        "posts": "posts messages points likes reputation rating threads topics karma",
        "place": "location",
        "action": "reply quote report share like permalink link edit delete thanks flag expand",
        "edited": "edited modified changed moved updated last",
        "page": "page next previous",
        "rank": (
            "member junior senior newbie user guest host moderator admin administrator veteran"
        ),
    },
    byline="posted by|written by|by|from|author",
    edited="edited",
    before_edited="last",
    profiles="user|member|profil|author|people|viewprofile",
    quote_labels="quote|quoting|quote from|originally posted by|quote of",
    said="wrote|writes|said|says|posted",
    dateparser=True,
)

_NOTICES = {
    "script": (
        "enable javascript|turn on javascript|javascript is disabled|javascript is required|"
        "requires javascript|javascript to run|without javascript|javascript enabled|"
        "browser is not supported|unsupported browser|please wait while|loading...|loading…|"
        "just a moment|checking your browser|verify you are human|verifying you are human"
    ),
    "consent": (
        "we value your privacy|your privacy choices|before you continue|accept all cookies|"
        "accept cookies|manage consent|cookie consent|consent to the use"
    ),
    "paywall": (
        "subscribe to continue|subscribe to read|subscribe now to|already a subscriber|"
        "this article is for subscribers|for subscribers only|subscribers only|"
        "to continue reading|free articles|start your free trial|unlock this article|"
        "become a member to|exclusive to subscribers"
    ),
    "login": (
        "please log in|please sign in|log in to continue|sign in to continue|"
        "you must be logged in|you must log in|you need to log in|login required|"
        "log in to your account|forgot your password|forgot password|remember me|not logged in"
    ),
    "error": (
        "page not found|not found|error 404|404 error|404 - |403 forbidden|access denied|"
        "access to this page has been denied|page doesn't exist|page does not exist|"
        "no longer available|no longer exists|could not be found|can't be found|"
        "cannot be found|can't find the page|couldn't find|something went wrong|"
        "service unavailable|internal server error|bad gateway|account suspended|"
        "domain is for sale|under construction|temporarily unavailable|has been removed|"
        "are you a robot|unusual traffic|under maintenance"
    ),
}

_KIND_PHRASES = {
    "teaser": (
        "you may also like|you might also like|you might also be interested|"
        "related articles|related stories|related posts|related news|related content|"
        "read also|read next|read more:|more stories|most read|most popular|most viewed|"
        "recommended for you|recommended articles|recent posts|latest news|popular posts|"
        "trending now|up next|next article|previous article|also read|see also:|"
        "more on this|more like this|you may like|you might like|more trending|top stories|"
        "editors' picks|editor's picks|more to explore|in other news|don't miss|"
        "related topics|recent comments|latest posts"
    ),
    "promo": (
        "subscribe to our|sign up for our|sign up to our|get our newsletter|"
        "join our newsletter|join our mailing list|share this|share on|share via|follow us|"
        "like us on|support us|donate now|make a donation|download our app|"
        "download the app|get the app|sponsored content|tweet this|sign up to|sign up for|"
        "subscribe now|get the latest|never miss|stay informed with|stay up to date|"
        "join our|share this article|share this story|share this post|share article|"
        "share post|copy link|save article|buy us a coffee|story continues below|"
        "this advertisement has not loaded|scroll to continue|want more?|download our free|"
        "connect with us|got a tip?|have a tip?|follow me on|for the latest breaking news|"
        "for more stories like this|get in touch with our|was this article helpful|"
        "did you find this article helpful|rate this article|email this to a friend|"
        "email to a friend|click to buy an e-print"
    ),
    "notice": (
        "we use cookies|this site uses cookies|this website uses cookies|"
        "by continuing to use this|by using this site|accept all cookies|accept cookies|"
        "manage cookies|cookie settings|cookie preferences|your privacy choices|"
        "we value your privacy|subscribe to continue|subscribe to read|"
        "this article is for subscribers|already a subscriber|to continue reading|"
        "please enable javascript|enable javascript|javascript is disabled|"
        "your browser is not supported|your browser does not support|"
        "this content is reserved for subscribers|subscribe now to|subscribe to unlock|"
        "register to unlock|sign in to unlock|create an account or sign in|"
        "this article is free to read|you have reached your|you've reached your|"
        "continue reading with|this content is hosted by|to view this content|"
        "recommended editorial content|we need your consent|your consent is required|"
        "this video is not available|this video has failed to load|"
        "we apologize, but this video|sorry, but your browser|cookies help us"
    ),
    "legal": (
        "all rights reserved|copyright ©|©|terms of use|terms of service|"
        "terms and conditions|privacy policy|privacy notice"
    ),
}

ENGLISH = Language(
    code="en",
    names="english",
    function_words=(
        "the of and to in is that for it with a your can all as was on are be by you have"
    ),
    comments="comment comments",
    counted_comments=r"(?:\d+|one|two) (?:thoughts?|responses?|replies|reply) (?:on|to)",
    phrases=_PHRASES,
    dates=_DATES,
    bylines=_BYLINES,
    page_types=_PAGE_TYPES,
    forum=_FORUM,
    notices=_NOTICES,
    kind_phrases=_KIND_PHRASES,
)
