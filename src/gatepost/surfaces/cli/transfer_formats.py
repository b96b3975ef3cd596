"""The formats that `gatepost export` writes and `gatepost import` reads."""

from gatepost.interchange.source_names import SOURCES

EXPORT = ("jsonl", "md", "csv", "mermaid")
IMPORT = ("auto", "jsonl", *SOURCES)
