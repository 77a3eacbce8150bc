"""Tests of posts beside what looks like them: remarks below answers, ranks and filters."""

from __future__ import annotations

import pytest

from crfclean.products.forum.posts import posts
from crfclean.types import Page

ANSWERS = {
    "Rosa Lindt": "How do I keep the glue of old violins from drying out while I open one? "
    "The knife slips, and I fear for the varnish more than for the wood itself.",
    "Piet Vos": "Warm the knife in water, not over a flame, and wait until the seam gives. "
    "Hide glue lets go at sixty degrees, and the varnish does not mind that for a minute.",
    "Ilse Ahr": "Work from the lower block upwards, with a second blade to hold the seam. "
    "If it has been mended with modern glue, leave it to somebody who has done it before.",
}
REMARKS = {
    "Rosa Lindt": ["Is the back of one piece?", "Two, with a thin strip between.", "Then slowly."],
    "Piet Vos": [],
    "Ilse Ahr": ["Which blade do you take?", "A palette knife, blunt."],
}
REMARK = """<li class="comment" id="comment-90{n}" itemprop="comment" itemscope
itemtype="https://schema.org/Comment"><span class="comment-copy" itemprop="text">{text}</span> –
<a href="/users/{n}/guest{n}" class="comment-user">guest{n}</a>
<span class="comment-date">Mar {n}, 2019 at 10:17</span></li>"""
SIGNED = """<div class="user-info"><div class="user-action-time">{verb}
<span class="relativetime">{date}</span></div>
<div class="user-details"{author}><a href="/users/{n}/u">{name}</a></div></div>"""
ANSWER = """<div class="answer" id="answer-410{n}" itemscope itemtype="https://schema.org/Answer">
<div class="post-text" itemprop="text"><p>{text}</p></div>
<div class="menu"><a href="/a/410{n}">share</a> <a href="/e">improve</a></div>{signed}
<ul class="comments">{remarks}</ul></div>"""


def answer(n: int, name: str, edit: str) -> str:
    remarks = [REMARK.format(n=10 + 3 * n + at, text=text) for at, text in enumerate(REMARKS[name])]
    date, author = f"Mar {n}, 2019 at 9:0{n}", ' itemprop="author"'
    signed = edit + SIGNED.format(n=n, verb="answered", date=date, name=name, author=author)
    return ANSWER.format(n=n, text=ANSWERS[name], signed=signed, remarks="".join(remarks))


def question_page(edit: str) -> Page:
    body = "".join(answer(n, name, edit) for n, name in enumerate(ANSWERS, 2))
    head = "<html lang=en><head><title>Opening an old violin - Ask the Luthier</title></head>"
    html = f"{head}<body><h1>Opening an old violin</h1>{body}</body></html>"
    return Page(html, "https://luthier.example/questions/41/opening")


EDIT = SIGNED.format(n=77, verb="edited", date="Apr 20, 2019 at 8:00", name="Tidy Hand", author="")


@pytest.mark.parametrize("edit", ["", EDIT])
def test_remarks_are_no_posts(edit: str) -> None:
    """There are more remarks than answers, each with a name and a date of its own."""
    (thread,) = posts([question_page(edit)])
    assert [post.text for post in thread.posts] == list(ANSWERS.values())
    assert [post.author for post in thread.posts] == list(ANSWERS)
    days = [post.published.iso[:10] for post in thread.posts]
    assert days == [f"2019-03-0{day}" for day in (2, 3, 4)]


DISCUZ = """<div id="post_530{n}"><table class="plhin"><tr><td class="pls"><div class="pi">
<div class="authi"><a href="home.php?mod=space&amp;uid=9{n}" class="xw1">{name}</a></div></div>
<p><a href="home.php?mod=space&amp;uid=9{n}&amp;do=profile" class="xi2">{n}</a></p>积分
<p><em><a href="home.php?mod=spacecp&amp;ac=usergroup&amp;gid=10">新手上路</a></em></p></td>
<td class="plc"><div class="authi"><em id="authorposton530{n}">发表于 2024-4-{n} 23:20:4{n}</em>
<a href="forum.php?mod=viewthread&amp;tid=7&amp;authorid=9{n}">只看该作者</a></div>
<div class="t_f" id="postmessage_530{n}">{text}</div></td></tr></table></div>"""
WORDS = [
    "山里的旧灯塔去年修好了，晚上又能看见它的光。有人知道开放的时间吗？",
    "周末下午两点到五点，冬天只开星期六。路上有雪的时候请走西边的小路。",
    "上个月去过，守塔的老人还在，他会给你讲一百年前那场风暴的故事。",
]
NAMES = ("海边的风", "老船长", "灯火")


@pytest.mark.parametrize("names", [NAMES, ("1657811359", *NAMES[1:])])
def test_ranks_and_filters_are_no_names(names: tuple[str, ...]) -> None:
    """Discuz links a member's rank and the thread's posts of a member, too."""
    rows = zip(names, WORDS, strict=True)
    body = "".join(
        DISCUZ.format(n=n, name=name, text=text) for n, (name, text) in enumerate(rows, 1)
    )
    head = "<html lang=zh><head><title>旧灯塔什么时候开放</title></head>"
    html = f"{head}<body><h1>旧灯塔什么时候开放</h1>{body}</body></html>"
    (thread,) = posts([Page(html, "https://bbs.example/forum.php?mod=viewthread&tid=7")])
    assert [post.text for post in thread.posts] == WORDS
    assert [post.author for post in thread.posts] == list(names)
