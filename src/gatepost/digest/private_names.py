"""Names that a digest does not speak of: files that hold credentials, the store's own, what machines made."""

import re
import unicodedata
from fnmatch import translate
from typing import Final

from gatepost.files.guard import closed

_SECRET: Final = (
    *(".env", ".env.*", "*.env", ".envrc", ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".my.cnf"),
    *(".htpasswd", ".git-credentials", ".dockercfg", ".aws", ".ssh", ".gnupg", ".kube", "kubeconfig"),
    *("*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdb", "*.kdbx", "*.ppk", "*.p8"),
    *("id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "credentials*", ".credentials*", "secrets", "secrets.*"),
    *("secret.*", ".secrets*", "service-account*.json", "service_account*.json", "serviceaccount*.json"),
    *("*.tfvars", "*.tfvars.json", "*.tfstate", "*.tfstate.*", "*.ovpn", "client_secret*.json"),
)
_EXAMPLES: Final = ("example", "sample", "template", "dist")
_DERIVED: Final = frozenset(
    {
        *(".git", ".hg", ".svn", ".ds_store", "node_modules", "bower_components", "__pycache__", ".venv", "venv"),
        *(".tox", ".nox", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis", ".eggs", ".gradle"),
        *(".terraform", ".next", ".nuxt", ".svelte-kit", ".turbo", ".parcel-cache", ".direnv"),
    }
)

_secret = re.compile("|".join(translate(pattern) for pattern in _SECRET))
_example = re.compile(rf"\.env\..*(?:{'|'.join(_EXAMPLES)})|(?:{'|'.join(_EXAMPLES)})\.env")


def unspoken(name: str) -> bool:
    """Whether an entry of this name is neither opened nor named nor looked into."""
    plain = unicodedata.normalize("NFKC", name).casefold().rstrip(". ")
    return plain in _DERIVED or plain.endswith(".egg-info") or closed(name) or _is_secret(plain)


def _is_secret(plain: str) -> bool:
    return _secret.match(plain) is not None and _example.fullmatch(plain) is None
