"""What may come next on a command line: asked for by the shells' own completion, at every press of a key."""
