"""Notices to people about what waits for them, by webhook or command. Loaded only if `[notify]` is set."""
