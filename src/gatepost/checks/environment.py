"""The environment of a check: what tools need to run, and no secrets."""

import os
from collections.abc import Mapping
from typing import Final

from gatepost.wire import credentials

MARK: Final = "GATEPOST_CHECK"
"""Set for each run to a value of its own, so that a stray process can be told from all others."""

_NAMES: Final = """
HOME LANG LANGUAGE LOGNAME PATH SHELL TEMP TMP TMPDIR TZ USER XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME
ALL_PROXY HTTPS_PROXY HTTP_PROXY NO_PROXY all_proxy http_proxy https_proxy no_proxy
CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE SSL_CERT_DIR SSL_CERT_FILE
CONDA_DEFAULT_ENV CONDA_PREFIX PYENV_ROOT PYENV_VERSION PYTHONPATH UV_CACHE_DIR VIRTUAL_ENV
BUN_INSTALL COREPACK_HOME DENO_DIR FNM_DIR NODE_PATH NVM_BIN NVM_DIR PLAYWRIGHT_BROWSERS_PATH PNPM_HOME VOLTA_HOME
CARGO_HOME CARGO_TARGET_DIR RUSTUP_HOME RUSTUP_TOOLCHAIN GOBIN GOCACHE GOFLAGS GOMODCACHE GOPATH GOPROXY GOROOT
ANDROID_HOME DOTNET_ROOT GRADLE_USER_HOME JAVA_HOME M2_HOME MAVEN_HOME NUGET_PACKAGES SDKMAN_DIR
ASDF_DATA_DIR ASDF_DIR BUNDLE_PATH COMPOSER_HOME GEM_HOME GEM_PATH MISE_DATA_DIR RBENV_ROOT RBENV_VERSION
CAML_LD_LIBRARY_PATH GHCUP_INSTALL_BASE_PREFIX HEX_HOME MIX_HOME OPAM_SWITCH_PREFIX STACK_ROOT
AR CC CFLAGS CPATH CPPFLAGS CXX CXXFLAGS LDFLAGS LD_LIBRARY_PATH LIBRARY_PATH PKG_CONFIG_PATH SDKROOT
"""
_ALLOWED: Final = frozenset(_NAMES.split())
_LOCALE: Final = "LC_"


def cleaned(given: Mapping[str, str], mark: str) -> dict[str, str]:
    """What of an environment a check gets. A value with a credential in it stays out, whatever its name is."""
    kept = {
        name: value
        for name, value in given.items()
        if (name in _ALLOWED or name.startswith(_LOCALE)) and not _is_secret(value)
    }
    # CI: a check is judged, so tools must neither ask nor watch for changes, and write no new snapshots.
    return {"LANG": "C.UTF-8", "PATH": os.defpath} | kept | {"CI": "true", "TERM": "dumb", MARK: mark}


def _is_secret(value: str) -> bool:
    """Whether there is a credential or, as in a proxy's address, a login."""
    return ("://" in value and "@" in value) or bool(credentials.find(value))
