"""The Model Context Protocol: one dispatcher, mounted on stdio and on HTTP."""
