"""Named statements, read from the `queries.sql` of a store."""

import os


def named_statements(module: str) -> dict[str, str]:
    """The statements of the `queries.sql` beside a module, by their names."""
    with open(os.path.join(os.path.dirname(module), "queries.sql"), encoding="utf-8") as file:
        blocks = file.read().split("\n-- ")
    found: dict[str, str] = {}
    for block in blocks:
        head, _, body = block.removeprefix("-- ").partition("\n")
        found[head.partition(":")[0]] = body.strip().rstrip(";")
    return found
