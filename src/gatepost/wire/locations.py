"""How a store's location is written, and how it may be shown. Free of imports: every start passes through here."""

DATABASES = ("postgresql://", "postgres://")


def shown(store: str) -> str:
    """A store's location as it may be shown. The password in a database's address is left out."""
    if not store.startswith(DATABASES):
        return store
    scheme, _, rest = store.partition("://")
    # A password can have any character, encoded or not, so everything up to the last @ can be a part of it.
    before, at, after = rest.rpartition("@")
    user = before.partition(":")[0]
    if any(mark in user for mark in "/?"):
        user = "…"
    return f"{scheme}://{user}{at}{after.partition('?')[0]}"
