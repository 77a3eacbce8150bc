"""Tests of `site_rules/apply.py`: probabilities changed by what is known of a site."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hostile import HOSTILE
from sitepages import NAMES, NOTICE, site_page, tagged

from crfclean.page.blocks import split
from crfclean.pipeline import clean, run
from crfclean.site import SiteParams
from crfclean.site_rules.apply import KnownSiteTagger, adjusted
from crfclean.site_rules.files import as_json, from_json
from crfclean.site_rules.known import KnownSite, Sites
from crfclean.site_rules.learn import learn, page_notes
from crfclean.taggers.crf import CrfTagger
from crfclean.taggers.load import load
from crfclean.types import Blocks, CrfcleanError, Floats, Page


@pytest.fixture(scope="module")
def site() -> KnownSite:
    return KnownSite(
        learn("ferry.example", [page_notes(tagged(site_page(name))) for name in NAMES])
    )


def even(blocks: Blocks) -> Floats:
    return np.tile([0.1, 0.5, 0.4], (len(blocks), 1))


def test_repeated_texts_lose_and_places_have_their_mean(site: KnownSite) -> None:
    blocks = split(Page(site_page("Zoe")))
    kept = 1 - adjusted(even(blocks), blocks, site, SiteParams())[:, 2]
    by_text = dict(zip(blocks.texts, kept, strict=True))
    story, *_ = [chance for text, chance in by_text.items() if text.startswith("Zoe went")]
    assert story > 0.6 > by_text["Zoe and the ferry"]
    assert by_text[NOTICE] < 0.1
    assert by_text["Home page"] < 0.02


def test_headers_keep_their_share(site: KnownSite) -> None:
    blocks = split(Page(site_page("Zoe")))
    changed = adjusted(even(blocks), blocks, site, SiteParams())
    assert changed.sum(1) == pytest.approx(np.ones(len(blocks)))
    assert changed[:, 0] * 5 == pytest.approx(changed[:, 1])


def test_rules_that_do_not_fit_change_nothing(site: KnownSite) -> None:
    blocks = split(Page("<div class=other><p>One two three</p></div>"))
    marginals = even(blocks)
    assert adjusted(marginals, blocks, site, SiteParams()) is marginals


def test_a_tagger_uses_the_site_of_the_page(site: KnownSite, tagger: CrfTagger) -> None:
    sites = Sites({"ferry.example": site})
    page = Page(site_page("Zoe"))
    known = run(page, KnownSiteTagger(tagger, sites))
    assert NOTICE not in known.text
    assert "Zoe went" in known.text
    other = Page(site_page("Zoe", host="rail.example"))
    alone = run(other, tagger)
    assert run(other, KnownSiteTagger(tagger, sites)).tags.marginals == pytest.approx(
        alone.tags.marginals
    )


@pytest.mark.parametrize(
    "data", [page for page in HOSTILE.values() if isinstance(page, str | bytes)]
)
def test_any_page_is_learned_and_tagged(
    data: str | bytes, site: KnownSite, tagger: CrfTagger
) -> None:
    known = KnownSiteTagger(tagger, Sites({"ferry.example": site}))
    document = clean(data, model=known)
    assert len(document.tags) == len(document.blocks)
    rules = learn("x", [page_notes(document, "x")])
    assert from_json(as_json(rules), "x") == rules


def test_a_tagger_travels(site: KnownSite, tagger: CrfTagger) -> None:
    known = KnownSiteTagger(tagger, Sites({"ferry.example": site}))
    again = pickle.loads(pickle.dumps(known))
    blocks = split(Page(site_page("Zoe")))
    assert again.tag(blocks).labels.tolist() == known.tag(blocks).labels.tolist()


def test_a_page_is_cleaned_with_its_site(site: KnownSite, tagger: CrfTagger) -> None:
    known = KnownSiteTagger(tagger, Sites({"ferry.example": site}), "https://ferry.example/1")
    document = clean("<p>One</p>" + site_page("Zoe"), known.url, known, as_="body")
    assert NOTICE not in document.text
    assert document.status == "ok"


def test_a_tagger_keeps_what_the_inner_one_can(site: KnownSite, tagger: CrfTagger) -> None:
    known = KnownSiteTagger(tagger, Sites({"ferry.example": site}))
    assert (known.name, known.elements, known.cut) == ("crf", (), tagger.cut)
    assert known.with_cut(tagger.cut) == known
    with pytest.raises(CrfcleanError, match="marks no comments"):
        known.comments(split(Page("<p>One</p>")))
    with pytest.raises(CrfcleanError, match="no rules to trace"):
        known.trace(split(Page("<p>One</p>")))


def test_a_tagger_without_marginals_is_refused(site: KnownSite) -> None:
    known = KnownSiteTagger(load("default", "expert"), Sites({"ferry.example": site}))
    with pytest.raises(CrfcleanError, match="knows nothing of sites"):
        known.tag(split(Page("<p>One</p>")))
