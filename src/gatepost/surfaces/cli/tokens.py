"""A token out of a file, for who asks a server."""

from gatepost.surfaces.cli.errors import BadUsage

_LONGEST = 4096
_RECOVERY = "Name the file that gatepost up has."


def token_in(path: str) -> str:
    """The one token that a file holds."""
    try:
        with open(path, encoding="ascii") as file:
            token = file.read(_LONGEST).strip()
    except (OSError, UnicodeDecodeError) as error:
        raise BadUsage(f"--token-file {path} cannot be read: {error}", _RECOVERY) from None
    if not token or not token.isprintable() or " " in token:
        raise BadUsage(f"--token-file {path} does not hold one token", _RECOVERY)
    return token
