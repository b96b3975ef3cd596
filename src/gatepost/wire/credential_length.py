"""How short a credential can be: apart from their forms, which a call with short texts need not load."""

from typing import Final

LEAST_WORD: Final = 16
"""Every credential has a word of at least this many characters in it."""
