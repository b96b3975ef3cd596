"""SQLite, the embedded store."""
