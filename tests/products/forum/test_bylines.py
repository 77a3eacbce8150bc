"""Tests of `forum/posts.py`, `forum/posts.py`, and of names, boxes and openers on whole pages."""

from __future__ import annotations

import pytest

from crfclean.model.folder import find_model
from crfclean.page.blocks import split
from crfclean.products.forum.outline import outline
from crfclean.products.forum.posts import posts
from crfclean.products.forum.stated import stated_posts
from crfclean.products.forum.tagger import ForumTagger
from crfclean.products.forum.thread import Post
from crfclean.types import Page

NAMES = ("lee", "anna_k", "Bob Miller", "tigerwoman", "krzysiek")
WORDS = (
    "I have tried this twice now and it never worked for me, so I gave up on it in the end.",
    "Did you look into the manual? There is a chapter on exactly this in the second half.",
    "Thanks a lot for the hint, that was precisely what I had been missing all along!",
    "My neighbour swears by the older model, though he has had to repair it several times.",
    "No idea, sorry. Perhaps somebody at the shop can tell you which of them would fit.",
)
DAYS = [f"2008-05-0{day}" for day in range(5, 10)]
SHAPES = {
    "said": "<li><cite>{name}</cite> Says:<br><small>{date}</small><p>{words}</p></li>",
    "in a text": '<div class="c">{name} says: {words}</div>',
    "date in a second line": '<div class="c"><p>{name} says:</p><p>{date}</p><p>{words}</p></div>',
    "line above": '<div class="c"><p>Posted by {name} on {date}</p><p>{words}</p></div>',
    "name alone marked": '<div class="c">Posted by <b>{name}</b> on {date}<br><br>{words}</div>',
    "line below": '<div class="c"><p>{words}</p><p>Posted by: <a href="/x">{name}</a> at {date}'
    "</p></div>",
    "between posts": '<p class="w">{words}</p><p class="by">Posted by {name} at {date}</p>',
    "numbered": '<h4>{n}. {name} - {date}</h4><div class="w"><p>{words}</p></div>',
    "in brackets": '<div class="c"><b>{name}</b> ({date}): {words}</div>',
}


def page_of(shape: str, before: str = "", behind: str = "") -> Page:
    rows = "".join(
        shape.format(n=n, name=name, words=words, date=f"May {n + 4}, 2008 at 3:0{n} pm")
        for n, (name, words) in enumerate(zip(NAMES, WORDS, strict=True), 1)
    )
    return Page(
        "<html lang=en><title>Which pump for the pond</title><body><nav><a href=/>Home</a></nav>"
        f"{before}<div id=list>{rows}</div>{behind}</body>",
        "http://ponds.example/t/7",
    )


def read(page: Page) -> tuple[Post, ...]:
    (thread,) = posts([page])
    return thread.posts


@pytest.mark.parametrize("shape", SHAPES)
def test_a_line_names_author_and_date(shape: str) -> None:
    page_posts = read(page_of(SHAPES[shape]))
    assert [post.author for post in page_posts] == list(NAMES)
    assert [post.full for post in page_posts] == list(WORDS)
    days = [""] * len(DAYS) if "{date}" not in SHAPES[shape] else DAYS
    assert [post.published.iso[:10] for post in page_posts] == days


def test_whom_most_posts_quote_is_not_their_author() -> None:
    shape = '<div class="p"><a href="/u/{name}">{name}</a> <i>{date}</i><div class="w">'
    quoting = page_of(f"{shape}{{words}}</div></div>".replace("{words}", "carl says: {words}"))
    page_posts = read(quoting)
    assert [post.author for post in page_posts] == list(NAMES)
    assert page_posts[0].text == f"carl says: {WORDS[0]}"


HEAD = '<div class="p"><b>{name}</b> <i>{date}</i><div class="body">{words}'


@pytest.mark.parametrize(
    "end",
    [
        '<div class="edited">Changed by a moderator</div>',
        '<div class="reactions"><ul><li>{n} likes</li></ul></div>',
    ],
)
def test_what_stands_below_the_words_is_none_of_them(end: str) -> None:
    page_posts = read(page_of(f"{HEAD}{end}</div></div>"))
    assert [post.full for post in page_posts] == list(WORDS)


def test_two_hyphens_before_words_begin_a_line_of_the_post() -> None:
    page_posts = read(page_of(f"{HEAD}<p>-- {{name}}?</p><p>We wait, {{name}}.</p></div></div>"))
    assert page_posts[0].full == f"{WORDS[0]}\n-- lee?\nWe wait, lee."


def test_ranks_and_counts_are_no_names() -> None:
    shape = (
        '<div class="p"><p>{n} points</p><p>Senior Member</p><p>{name}</p><p>{date}</p>'
        '<div class="body">{words}</div></div>'
    )
    assert [post.author for post in read(page_of(shape))] == list(NAMES)


BOX = '<div class="p"><div class="body">No story may be posted here, says the owner.</div></div>'
QUESTION = (
    '<section><h1>Which pump for the pond</h1><p><a class="author" href="/u/eve">eve</a></p>'
    '<article class="ask">The fish need air in winter, and the old pump is too loud. Which one '
    "would you buy today?</article><p>5 answers</p>"
)


def test_a_box_behind_signed_posts_is_none() -> None:
    assert len(read(page_of(f"{HEAD}</div></div>", behind=BOX))) == len(WORDS)


def test_a_question_is_built_unlike_its_answers() -> None:
    answer = (
        '<div class="a"><a class="author" href="/u/{n}">{name}</a><div class="body">{words}'
        "</div></div>"
    )
    asked = page_of(answer, QUESTION, "</section>")
    first, *others = read(asked)
    assert (first.author, first.text[:8]) == ("eve", "The fish")
    assert len(others) == len(WORDS)
    tags = ForumTagger(find_model("forum")).tag(asked)
    kept = [text for text, keep in zip(split(asked).texts, tags.kept, strict=True) if keep]
    assert kept == ["Which pump for the pond", *(post.full for post in (first, *others))]


def test_what_a_page_states_is_read_once() -> None:
    page = outline(split(page_of(HEAD)))
    assert stated_posts(page) is stated_posts(page)
