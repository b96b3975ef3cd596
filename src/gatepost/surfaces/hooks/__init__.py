"""Hooks: small programs that an agent's harness runs before and after its tool calls. They import very little."""
