"""How a store's location is written, and how it may be shown. Free of imports: every start passes through here."""

DATABASES = ("postgresql://", "postgres://")


def shown(store: str) -> str:
    """A store's location as it may be shown. The password in a database's address is left out."""
    if not store.startswith(DATABASES):
        return store
    scheme, _, rest = store.partition("://")
    authority, slash, path = rest.partition("?")[0].partition("/")
    user, at, host = authority.rpartition("@")
    return f"{scheme}://{user.partition(':')[0]}{at}{host}{slash}{path}"
