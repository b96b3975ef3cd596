"""What happens to a text with a credential. Every call knows it, and only writes search their texts."""

from typing import Final, Literal

Policy = Literal["refuse", "redact", "allow"]
"""Refuse the call, replace the credential, or store it."""

REFUSE: Final[Policy] = "refuse"
ALLOW: Final[Policy] = "allow"
