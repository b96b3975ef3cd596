"""The names of the sources. It imports nothing, because the help of a command shows them."""

SOURCES = ("task-master", "beads", "backlog", "shrimp", "claude", "codex", "spec-kit", "github", "markdown")
"""In the order in which they are tried: what its content tells apart first, Markdown of any kind last."""
