"""TEI-XML that is valid against TEI simplePrint."""
