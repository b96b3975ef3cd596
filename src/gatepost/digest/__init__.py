"""The digest: a repository's layout, commands and caveats, from its own files."""
