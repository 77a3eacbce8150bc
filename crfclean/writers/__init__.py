"""The output formats of documents, coherent texts and metadata."""
