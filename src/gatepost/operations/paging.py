"""Cursors: opaque to callers, and good whatever others write meanwhile, because a place never changes."""

from base64 import urlsafe_b64decode, urlsafe_b64encode

from gatepost.domain.refusals import InvalidInput


def cursor(place: str) -> str:
    """The cursor that continues after a place."""
    return urlsafe_b64encode(place.encode()).decode().rstrip("=")


def after(given: str | None) -> str:
    """The place after which a page begins."""
    if given is None:
        return ""
    try:
        place = urlsafe_b64decode(given + "=" * (-len(given) % 4)).decode()
    except ValueError:
        place = ""
    if not place or cursor(place) != given or not place.replace(".", "").isalnum():
        raise InvalidInput([("cursor", "must be a cursor as an earlier reply gave it")])
    return place + "\0"
