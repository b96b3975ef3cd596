"""What can be asked: the registry, and one road by which every surface asks."""
