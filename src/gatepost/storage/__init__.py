"""Where it is kept: the stores behind the engine's port."""
