"""Fingerprint features: digests of their values on built-in pages.

Not a byte of these pages may change, or the fingerprints in all manifests would.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from crfclean.features.block_kinds import kinds_of
from crfclean.features.columns import check_names, join_first_pass
from crfclean.features.first_pass import frame
from crfclean.features.table import FEATURES, matrix
from crfclean.features.texttractor import TEXTTRACTOR
from crfclean.page.blocks import split
from crfclean.page.measures import Measures
from crfclean.types import Floats, ModelError, Page

PROBE = """<!DOCTYPE html><html><head><title>Ice on the upper lake - The Probe</title> <meta
name="description" content="The ferry stays in its harbour, since ice covers the upper lake.">
<meta property="og:type" content="article"><script type="application/ld+json">
{"@type": "NewsArticle", "headline": "Ice on the upper lake",
"articleBody": "On Monday morning the ferry stayed in its harbour, since ice covers it."}
</script></head><body class="article post"><form>Search: <b>now</b><input name="q">
<button>Go!</button></form><header class="masthead"><nav class="menu"><ul><li><a
href="/a">Home</a></li><li> <a href="/b">News 24</a></li></ul></nav></header><ol
class="breadcrumbs" itemprop="breadcrumb"><li><a href="/">Home</a></li><li> <a
href="/tag/lake">Lake</a></li></ol><div><h1>A heading, of sorts</h1>12. 3. 2024, 10:45 <hr> <p>It
was <i>late</i>. "Who is it?" she asked <a href="/c">them</a>.</p><p>&bull; 3,5 % of 1000 m2 \u2013
see www.example.org</p><br><br>loose text<br><br>more: <img src="i.png"></div><div>
<h2><span>Next</span><div>part</div></h2>
<ol><li><p>one</p></li></ol><table><tr><td>2024-03-12</td> <td><p>On <u>12 March 2024</u> we
met</p></td><td>5</td></tr></table><blockquote>Quoted.</blockquote></div>
<main class="main"><article class="story hentry"><section class="content"><div
class="headline"><h1>Ice on the upper lake</h1></div><p class="lead" itemprop="description">The
ferry stays in its harbour, since ice covers the upper lake.</p> <p class="byline"
itemprop="author">By Anna Probe</p><p class="date"><time>12 March 2024</time></p> <div
class="articlebody" itemprop="articleBody"><div class="prose"> <p>On Monday morning the ferry
stayed in its harbour for the first time since 1987, because ice covers the whole upper lake.
Nobody on the shore, the harbour master says, remembers such a frost so late in the year.</p>
<p>The mail comes by sledge, as it did when the oldest houses of the village were built; children
walk to school over the bay, in single file, behind their teacher \u2026</p></div> <figure
class="media"><img src="ice.jpg"><figcaption class="caption">Ice. Photo: B.
Probe</figcaption></figure> <pre class="code"><code>ice = 40 * cm</code></pre><h4>Comments on
this</h4> <p>Will it last? "Until April," says the miller, who has measured the ice every winter
since he was a boy, and who has never yet been wrong by more than a week.</p> <div
class="ad">Advertisement</div></div></section> <div class="tags">Tags: <a
href="/tag/ice">ice</a></div></article> <div class="share tool">Share this: <a
href="https://example.org/share?u=1">Post</a></div></main> <section class="comments"
id="comments"><h3>Comments (2)</h3> <div class="comment user" itemprop="comment"><b
class="author">Karl</b><p>We crossed it on foot in 1963, my father and I, with two cows and a
sewing machine, and nobody thought it strange.</p><a href="#reply">Reply</a></div> <div
class="comment user"><b class="author">Olga</b><p>Lovely!</p><a href="#reply">Reply</a></div> <div
class="comment user"><b class="author">Jan</b><p>[deleted]</p><a
href="#reply">Reply</a></div></section> <aside class="sidebar"><h3>Related articles</h3><div
class="related"><div class="card list"><a href="/1"> <p>Snow on the pass</p></a><i>1 h
ago</i></div><div class="card list"><a href="/2"><p>Who owns the pier?</p></a><i>2 h
ago</i></div><div class="card list"><a href="/3"><p>Fish and chips</p></a><i>3 h
ago</i></div></div><h3>Newsletter</h3><p class="form">Sign up <a
href="/login?next=1">here</a></p></aside> <div class="product" itemprop="offers">Skates <span
class="price">49.90 EUR</span></div> <div class="pagination"><a
href="javascript:go(2)">next</a></div><details class="faq"><summary>Is it safe?</summary>It is.
</details><div class="overlay" role="dialog">We use cookies.</div><p class="hero">Our
services</p><p class="event">Opening hours: 9-17</p><p class="quote">Well done!</p><p
class="meta">1,204 views</p><p class="hidden">Skip to content</p> <h3>Share</h3><p>Follow
us</p><h3>Tags</h3><p>ice</p><div><p>\u4e2d\u6587\u3002\u518d\u89c1\uff01</p> <p>ABC Def</p><p>ABC
Def</p></div><footer class="footer"><p>\u00a9 2024 Probe. All rights reserved.</p><a
href="/legal">Privacy policy</a></footer></body></html>"""

_MARKS = "<p>Maps | <img src='m.png'> &lt;North&gt; | ICE AND SNOW</p>"
"""What `PROBE` lacks for the perceptron's features: bars, angle brackets, capitals."""

FORUM_PROBE = """<!DOCTYPE html><html lang="en"><head><title>Thread: Which skates for rough
ice?</title> </head><body class="forum"><div class="header"><a href="/">Board</a> <form
action="/login"><label>User name <input></label><button>Log in</button></form></div><h1
class="topic-title">Which skates for rough ice?</h1><div class="pagination">Page 1 of 2 <a
href="?page=2">next</a></div><div id="posts"><article class="post message" id="post_101"><div
class="post-author"><a class="username" href="/member.php?u=7">Karl_47</a> <span
class="rank">Senior member</span><dl><dt>Joined:</dt> <dd>May
2010</dd><dt>Posts:</dt><dd>1,204</dd><dt>Location</dt><dd>Upper lake</dd></dl></div><p
class="date">Posted by <b>Karl</b> on <time>12 March 2024, 10:45</time></p><section
class="postbody content"><p>The ice on the upper lake is rough this year, since snow fell on it
before it was a hand thick. Which skates would you take for thirty kilometres of it?</p><p>I have
had <a href="/skates">these</a> since 1999.</p></section><div class="signature">Ice is only slow
water.</div> <div class="actions"><a href="#reply">Reply</a> <a href="#quote">Quote</a> <a
href="#r">Report</a> </div></article><article class="post message" id="post_102"><div
class="post-author"><a class="username" href="/u/olga">Olga</a> <span>napsala p\u0159ed 2
dny</span></div><section class="postbody content"><blockquote class="quote">Which skates would you
take?</blockquote> <p>Long ones, and a pick. Nordic blades run straight where short ones stumble
into every crack.</p> </section><div class="actions"><a href="#reply">Reply</a> <a
href="#quote">Quote</a> <a href="#r">Report</a> <a href="#plus">+</a></div></article><article
class="post message" id="post_103"><div class="post-author"><b itemprop="author">Jan</b>
<i>Gast</i> am 3.4.2024 um 18:20 Uhr, vor 3 Tagen geschrieben</div><section class="postbody
content">Danke!</section><div class="edited">Last edited yesterday</div><div class="actions"><a
href="#reply">Reply</a> <a href="#quote">Quote</a> <a href="#r">Report</a></div></article><article
class="post message" id="post_104"><div class="post-author"><a class="username"
href="/u/ewa">ewa1987</a> 2 godziny temu</div><section class="postbody content"><h2>Two
pairs</h2><ul><li>for the morning, when it is hard: 45 cm</li><li>for the afternoon: whatever is
dry</li></ul><p>\u041b\u0451\u0434 \u0441\u0435\u0433\u043e\u0434\u043d\u044f
\u0445\u043e\u0440\u043e\u0448\u0438\u0439, said a man there.</p></section><div class="actions"><a
href="#reply">Reply</a> <a href="#quote">Quote</a> <a
href="#r">Report</a></div></article></div><div class="related"><h3>Similar threads</h3><ul
class="list"><li><a href="/t/1">Snow on the pass, and no way around it</a> <span
class="date">2024-02-01</span> 5 replies</li><li><a href="/t/2">Who owns the pier, and who mends
it in spring?</a> <span class="date">2024-01-15</span> 12 replies</li></ul></div> <div
class="comment-list"><div class="comment"><b class="nick">Ada</b> 2024\u5e743\u67085\u65e5<p
class="text"><span>Hace tres d\u00edas el hielo era mejor.</span></p></div><div class="comment"><b
class="nick">Luc</b> il y a 2 heures<p class="text"><span>Merci pour la r\u00e9ponse, c'est
tr\u00e8s utile.</span></p></div></div><footer>Powered by Board 4.7 &copy;
2024</footer></body></html>"""
"""A thread, for the forum's features."""

HEAD_PROBE = """<!DOCTYPE html><html lang="en-gb"><head><title>Skates of the north: the best guide
to shop by | Ice &amp; Iron Magazine and Services</title><meta property="og:title" content="Skates
of the north: a buyer's guide"><meta property="og:site_name" content="Ice &amp; Iron"><meta
property="og:type" content="product"><meta name="author" content="Anna Probe"><meta
property="article:author" content="https://ice.example.org/authors/anna-probe"><meta
property="article:published_time" content="2024-03-12T10:45:00+01:00"><meta
property="article:modified_time" content="2024-03-15"><meta name="twitter:title" content="Skates
of the north"><meta name="twitter:label1" content="Written by"> <meta name="twitter:data1"
content="Anna Probe, Bert Sonde"><meta name="dc.creator" content="Sonde, Bert"><meta
name="dcterms.date" content="11.03.2024"><meta name="citation_title" content="Skates of the
north"><meta name="parsely-pub-date" content="2024-03-12"><link rel="canonical"
href="https://ice.example.org/2024/03/skates"><script type="application/ld+json">{"@graph":
[{"@type": ["NewsArticle", "BlogPosting"], "headline": "Skates of the north: a buyer's guide",
"datePublished": "2024-03-12", "dateModified": "2024-03-15", "author": [{"@type": "Person",
"name": "Anna Probe"}, {"@type": "Person", "name": "Bert Sonde"}], "publisher": {"@type":
"Organization", "name": "Ice & Iron"}}, {"@type": ["WebSite", "WebPage"], "name": "Ice & Iron"},
{"@type": "LocalBusiness"}, {"@type": "Service"}, {"@type": ["FAQPage", "QAPage", "Question"]},
{"@type": "DiscussionForumPosting"}, {"@type": ["TechArticle", "Article"]}, {"@type": ["ItemList",
"CollectionPage", "ListItem"]}, {"@type": ["AggregateRating", "Review"]}, {"@type": "Recipe"},
{"@type": "VideoObject"}, {"@type": "Product", "name": "Nordic blade 45", "offers": {"@type":
"Offer", "price": "89.00"}}]}</script></head><body class="product list code hero tag content
page"><nav><a href="/shop">Shop</a> <a href="/cart">Basket (2)</a></nav><main itemscope
itemtype="https://schema.org/BlogPosting" class="product list code hero tag content"><h1
class="entry-title" itemprop="headline">Skates of the north</h1><p class="byline">By <a
rel="author" href="/authors/anna-probe">Anna Probe</a> and <span itemprop="author">Bert
Sonde</span></p><p class="post-date">Updated on <time datetime="2024-03-15"
itemprop="dateModified">15 March 2024</time>, published 12/03/2024</p><p>Before you buy, read how
long the ice lasts where you live, and ask who sharpens blades there. We have tried seven pairs
over two winters.</p><h2 class="product-name">Nordic blade 45</h2><p class="price">\u20ac 89.00,
was $ 120</p><p>Review by Carl Test: 4 of 5. In stock; shipping takes two
days.</p><form><select><option>42</option></select><label>Quantity <input></label>
<textarea></textarea> <kbd>Enter</kbd> <button>Add to
cart</button></form><table><tr><th>Length</th><td>45 cm</td></tr></table><pre><code>def edge(mm):
return mm / 2</code></pre><dl><dt>FAQ: do they rust?</dt><dd>If you let them.</dd></dl>
<h3>Contact our team</h3><p>Request a demo, or book a schedule of lessons with our clients'
favourite teachers.</p><p>Parameters: version, default, example; deprecated since
install.</p><iframe src="v"></iframe><video></video><figure><img src="s.jpg"><figcaption>Photo: D.
Bild</figcaption> </figure></main><aside>Text: Emil Rand<br>1. April
2023</aside><section><h3>Results 1-10 of 200 items</h3><p>Posted by Fred on 2 May 2022, 3 days
ago</p></section><footer>\u00a9 2019-2024 Ice &amp; Iron</footer></body></html>"""
"""A page rich in metadata, for candidates of metadata and for page types."""

ADDRESSES = (
    "https://docs.example.org/blog/2024/05/ice-on-the-lake-4711?page=2",
    "https://ice.example.org/",
    "https://forum.docs.shop.news.example.org/threads/product/categories/tag/docs/services/",
)
"""Addresses of a probe page: with a date, of a home page, of many words."""


def fingerprints(names: Sequence[str]) -> dict[str, str]:
    """Feature -> digest of its values on a built-in page, which changes when the feature does.

    Raises `ModelError` for a feature that this version does not have.
    """
    check_names(names)
    page = probe_page()
    steps = np.arange(len(page)) * 5 % 7 / 7.0
    first_pass = np.column_stack([steps / 4, steps / 2, 1 - steps * 3 / 4])  # made-up marginals
    crf_names = [name for name in names if name not in TEXTTRACTOR]
    table_names = [name for name in crf_names if name in FEATURES]
    values = join_first_pass(
        matrix(page, table_names), table_names, frame(page), crf_names, first_pass
    )
    prints = dict(zip(crf_names, column_fingerprints(values), strict=True))
    mlp_names = [name for name in names if name in TEXTTRACTOR]
    if mlp_names:
        marked = split(Page(PROBE + _MARKS))
        values = matrix(marked, mlp_names)
        prints |= dict(zip(mlp_names, column_fingerprints(values), strict=True))
    return {name: prints[name] for name in names}


@cache
def probe_page() -> Measures:
    """What is measured on `PROBE`, which several models ask for."""
    return split(Page(PROBE))


@cache
def kinds_fingerprint() -> str:
    """Twelve hexadecimal digits of the kinds of blocks on a built-in page."""
    return column_fingerprint(kinds_of(probe_page()).astype(np.float32))


def column_fingerprint(column: Floats) -> str:
    """Twelve hexadecimal digits of a column's values, rounded to six decimals."""
    return column_fingerprints(column[:, None])[0]


def column_fingerprints(columns: Floats) -> list[str]:
    """Twelve hexadecimal digits of each column of an array (n, columns).

    Each value is written once, as few of them differ. They are told apart by their bits: zero and
    minus zero are equal, but not written alike.
    """
    rows = np.ascontiguousarray(columns.T)
    kind = f"i{rows.itemsize}"
    keys: list[list[int]] = rows.view(kind).tolist()
    distinct = list(set().union(*keys))
    written = [f"{value:.6f}" for value in np.array(distinct, kind).view(rows.dtype).tolist()]
    texts = dict(zip(distinct, written, strict=True))
    return [text_fingerprint(" ".join([texts[key] for key in row])) for row in keys]


def text_fingerprint(text: str) -> str:
    """Twelve hexadecimal digits of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def check_features(
    where: object, expected: Mapping[str, str], present: Mapping[str, str], *, ordered: bool = True
) -> None:
    """Compare the fingerprints in a model with those of this version's features.

    Their order counts too if `ordered`: leave it out for models that name weights by feature.
    Raises `ModelError` naming features that changed, came or went.
    """
    names = dict.fromkeys([*expected, *present])
    changed = [name for name in names if expected.get(name) != present.get(name)]
    if not changed and ordered and list(expected) != list(present):
        changed = ["their order"]
    if changed:
        few = ", ".join(changed[:5])
        raise ModelError(f"{where}: made for other features ({few} changed): train it again")
