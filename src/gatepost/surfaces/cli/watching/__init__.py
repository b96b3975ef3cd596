"""Live lists without taking over the screen: where they come from, and how they are told."""
