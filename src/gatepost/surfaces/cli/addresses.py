"""A server's address as it is given on the command line."""

from urllib.parse import urlsplit

from gatepost.surfaces.cli.endings import BadUsage


def server_address(url: str) -> str:
    """The address without what it does not need at its end. Refuses one that no server can have."""
    try:
        parts = urlsplit(url)
        known = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        (parts.hostname or "").encode("idna")
    except ValueError:
        known = False
    if not known:
        raise BadUsage(f"--url {url} is no server's address", "Write it so: --url http://127.0.0.1:4870")
    return url.rstrip("/")
