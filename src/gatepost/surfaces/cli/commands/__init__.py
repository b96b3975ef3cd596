"""The commands, one module each: `declare` the words, `answer` by asking a store or `run`. Imported when chosen."""
