"""The commands, one module each: `declare` its words, `run` it. Imported only when chosen."""
