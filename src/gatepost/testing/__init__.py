"""For your own tests: the suite that every filesystem must pass."""
