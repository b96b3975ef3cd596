"""How short a credential can be, known without loading the patterns that find one."""

from typing import Final

LEAST_WORD: Final = 16
"""Every credential has a word of at least this many characters in it."""
