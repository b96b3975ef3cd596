"""Files for agents: one protocol, a backend in memory and one on disk, and the guard that protects both."""
