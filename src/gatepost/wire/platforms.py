"""The systems that Gatepost runs on, in words for the others."""

from __future__ import annotations

UNSUPPORTED = (
    "Gatepost runs on Linux and macOS: it needs file locks and directory handles that Windows does not have."
    " On Windows, install it in WSL (https://learn.microsoft.com/windows/wsl/install) and run it there;"
    " browsers and MCP clients on Windows reach its server at http://127.0.0.1:4870."
)
