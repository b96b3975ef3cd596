"""Hooks: small programs that an agent's harness runs around its tool calls. Nothing heavy in here."""
