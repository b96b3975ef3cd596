"""One client for every surface: the same calls on a store in this process and on a server elsewhere."""
