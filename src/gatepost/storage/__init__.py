"""The stores behind the engine's port."""
