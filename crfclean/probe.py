"""Names of columns -> fingerprints: digests of what features make of a built-in page."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from crfclean.blocks import split
from crfclean.evidence import check_names, join
from crfclean.features import FEATURES, matrix
from crfclean.features.texttractor import TEXTTRACTOR
from crfclean.firstpass import frame
from crfclean.measures import Measures
from crfclean.types import Floats, Page

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

_MARKS = "<p>Maps | <img src='m.png'> &lt;North&gt; | ICE AND SNOW</p>"  # for the perceptron's


def fingerprints(names: Sequence[str]) -> dict[str, str]:
    """Feature -> digest of its values on a built-in page: it changes when the feature does.

    Raises `ModelError` for a feature that this version does not have.
    """
    check_names(names)
    page, marked = (Measures(split(Page(html))) for html in (PROBE, PROBE + _MARKS))
    steps = np.arange(len(page)) * 5 % 7 / 7.0  # what a first pass might say of the probe
    given = np.column_stack([steps / 4, steps / 2, 1 - steps * 3 / 4])
    ours = [name for name in names if name not in TEXTTRACTOR]
    known = [name for name in ours if name in FEATURES]
    told = join(matrix(page, known), known, frame(page), ours, given)
    columns = dict(zip(ours, told.T, strict=True))
    others = [name for name in names if name in TEXTTRACTOR]
    columns |= dict(zip(others, matrix(marked, others).T, strict=True))
    return {name: _digest(columns[name]) for name in names}


def _digest(column: Floats) -> str:
    """Twelve hex digits for a column's values."""
    line = " ".join(f"{value:.6f}" for value in column)
    return hashlib.sha256(line.encode()).hexdigest()[:12]
