"""A workspace as a document to read: Markdown, a table, a chart. Read in pages, and written as it is read."""

from collections.abc import Callable, Iterator
from typing import Final

from gatepost.surfaces.export.csv_table import csv_table
from gatepost.surfaces.export.markdown_list import markdown_list
from gatepost.surfaces.export.mermaid_chart import mermaid_chart
from gatepost.surfaces.export.work_reader import WorkPart

FORMATS: Final[dict[str, Callable[[str, Iterator[WorkPart]], Iterator[str]]]] = {
    "md": markdown_list,
    "csv": csv_table,
    "mermaid": mermaid_chart,
}
"""Each takes the name of the workspace and what is in it, and gives the document in pieces."""
