"""The products around the core, and what they enter in the door; no page's text needs one."""

from crfclean.door import Entry, Tables

_CORPUS, _FORUM, _PAPERS = (f"crfclean.products.{name}" for name in ("corpus", "forum", "papers"))
_TEACH, _TOOLS = "crfclean.products.teach", "crfclean.products.tools"
_TEXT, _LOOK, _LEARN = "Pages to text", "Look inside", "Teach"

TABLES: Tables = {
    "commands": {
        "clean": Entry(
            f"{_CORPUS}.clean_command:clean_command",
            "Extract the text of pages: files, directories, URLs, corpora.",
            _TEXT,
            few_pages=True,
        ),
        "metadata": Entry(
            f"{_CORPUS}.metadata_command:metadata_command",
            "Extract titles, authors, dates and the like.",
            _TEXT,
            few_pages=True,
        ),
        "forum": Entry(
            f"{_FORUM}.command:forum_command",
            "Extract the posts of forum pages: author, date and text.",
            _TEXT,
            few_pages=True,
        ),
        "segment": Entry(
            f"{_PAPERS}.command:segment_command",
            "Divide pages into their coherent texts.",
            _TEXT,
            few_pages=True,
        ),
        "audit": Entry(
            f"{_TOOLS}.audit_command:audit_command",
            "Estimate how good the texts of a run are, from a few judged blocks.",
            _LOOK,
        ),
        "cite": Entry(
            f"{_TOOLS}.cite_command:cite_command",
            "Find where a page says something.",
            _LOOK,
            few_pages=True,
        ),
        "serve": Entry(
            "crfclean.products.web.command:serve_command",
            "Clean pages in the browser, and over a JSON API.",
            _LOOK,
        ),
        "mcp": Entry(
            f"{_TOOLS}.mcp_command:mcp_command",
            "Let language models read pages: a Model Context Protocol server.",
            _LOOK,
        ),
        "drift": Entry(
            f"{_TOOLS}.drift_command:drift_command",
            "Tell which sites changed, and since when.",
            _LOOK,
        ),
        "annotate": Entry(
            f"{_TEACH}.annotate_command:annotate_command",
            "Label the blocks of pages by hand.",
            _LEARN,
        ),
        "tune": Entry(
            f"{_TEACH}.tune_command:tune_command",
            "Learn what belongs to a text from a few corrected texts.",
            _LEARN,
        ),
        "train": Entry(
            f"{_TEACH}.train_command:train_command", "Train a model on annotated pages.", _LEARN
        ),
        "eval": Entry(
            f"{_TEACH}.eval_command:eval_command",
            "Score a tagger, or cleaned texts, on annotated pages.",
            _LEARN,
        ),
    },
    "taggers": {
        "energy": Entry(f"{_PAPERS}.main_text:energy", "the main text by node energy"),
        "links": Entry(f"{_PAPERS}.main_text:links", "the main text by rules on links"),
        "expert": Entry(f"{_PAPERS}.expert:ExpertTagger", "the article by an expert system"),
        "forum": Entry(f"{_FORUM}.tagger:open_forum_tagger", "the posts of forum pages"),
    },
    "models": {"mlp": Entry(f"{_PAPERS}.perceptron:from_bundle", "a perceptron")},
    "inputs": {
        "warc": Entry(f"{_CORPUS}.inputs:warc_pages", "a crawl"),
        "wacz": Entry(f"{_CORPUS}.inputs:wacz_pages", "a zip archive with crawls"),
        "jsonl": Entry(f"{_CORPUS}.inputs:jsonl_pages", "a page on each line"),
        "parquet": Entry(f"{_CORPUS}.inputs:parquet_pages", "a table with a page in each row"),
    },
    "metrics": {
        "order": Entry(f"{_TEACH}.metrics:order_f1", "F1 on words in order"),
        "distance": Entry(f"{_TEACH}.metrics:distance_share", "share of characters to change"),
    },
    "reports": {
        "text": Entry(f"{_TEACH}.tables:evaluation_text", "aligned tables"),
        "json": Entry(f"{_TEACH}.result:evaluation_json", "all figures"),
        "html": Entry(f"{_TEACH}.report:report_html", "tables, and the worst pages word by word"),
    },
    "pictures": {
        "segments": Entry(f"{_PAPERS}.pictures:described_segments", "the coherent texts of a page"),
        "roles": Entry(f"{_PAPERS}.pictures:roles", "heading, article, comments and pictures"),
        "thread": Entry(f"{_FORUM}.picture:thread", "the posts of a forum page"),
    },
}
"""Kind -> name -> where the object is, and what it is."""
