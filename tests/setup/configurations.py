"""Twenty projects as people have them: what is in their files before init comes."""

MCP = '{"mcpServers": {"other": {"command": "npx", "args": ["-y", "other"]}}}'
JSONC = """\
// Our servers.
{
    "servers": {
        "other": { "command": "npx" }, // keep me
        /* and me */
    },
}
"""
CLAUDE = """\
{
  "permissions": {
    "allow": ["Bash(make:*)"],
    "deny": [
      "Read(./.env)"
    ]
  },
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash",
        "hooks": [{"type": "command", "command": "./guard.sh"}]
      }
    ]
  },
  "model": "opus"
}"""

CONFIGURATIONS: dict[str, dict[str, str]] = {
    "an empty folder": {},
    "a README alone": {"README.md": "# Shop\n"},
    "one server on one line": {".mcp.json": MCP},
    "a server, without a final newline": {".mcp.json": '{\n  "mcpServers": {\n    "a": {"command": "a"}\n  }\n}'},
    "Windows line ends": {
        ".mcp.json": '{\r\n  "mcpServers": {}\r\n}\r\n',
        "CLAUDE.md": "# Rules\r\n\r\nBe kind.\r\n",
        ".codex/config.toml": 'model = "o4"\r\n',
    },
    "tabs": {
        ".gemini/settings.json": '{\n\t"theme": "GitHub",\n\t"mcpServers": {\n\t\t"a": {"command": "a"}\n\t}\n}\n'
    },
    "comments and trailing commas": {
        ".vscode/mcp.json": JSONC,
        ".vscode/settings.json": "// Mine.\n{ /* none */ }\n",
    },
    "a comment behind the last value": {".vscode/settings.json": '{\n  "editor.tabSize": 2 // two\n}\n'},
    "permissions and hooks of its own": {".claude/settings.json": CLAUDE},
    "an empty object": {".mcp.json": "{}", ".cursor/mcp.json": "{}\n", ".gemini/settings.json": "{\n}\n"},
    "an empty file": {".mcp.json": "", ".cursor/hooks.json": "\n", "AGENTS.md": ""},
    "a byte order mark": {".vscode/settings.json": '\ufeff{\n  "a": 1\n}\n'},
    "Codex with a table at its end": {
        ".codex/config.toml": '# Mine\n\n[mcp_servers.other]\ncommand = "npx" # keep\nargs = [\n "x", # y\n]'
    },
    "hooks of Cursor": {
        ".cursor/hooks.json": '{"version": 1, "hooks": {"stop": [{"command": "./x.sh"}], "afterFileEdit": []}}\n'
    },
    "instructions without a final newline": {
        "AGENTS.md": "# Agents\n\nRun `make check`.",
        "CLAUDE.md": "@AGENTS.md",
    },
    "settings with a table and no workspace": {
        "gatepost.toml": '# Ours\n\n[policy]\nproof = "note"  # at least\n',
        "Makefile": "test:\n\ttrue\n",
    },
    "settings that say everything": {"gatepost.toml": 'workspace = "acme/shop"\n[checks]\nallow = ["pytest"]\n'},
    "ignore files": {".geminiignore": "node_modules\n", ".cursorignore": "dist"},
    "a server of that name": {
        ".mcp.json": '{"mcpServers": {"gatepost": {"command": "gatepost", "args": ["mcp"]}}}\n'
    },
    "what cannot be edited": {
        ".mcp.json": '{"mcpServers": [1]}',
        ".vscode/mcp.json": "{not json",
        "CLAUDE.md": "x\n",
    },
    "hooks as our help shows them": {
        ".claude/settings.json": '{"hooks": {"Stop": [{"hooks": [{"command": "gatepost hook stop"}]}]}}'
    },
}
