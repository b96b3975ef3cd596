"""How a change happens: read, draft, commit, notify."""
