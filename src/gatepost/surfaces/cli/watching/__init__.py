"""Live lists without taking over the terminal: where they come from, and how they are told."""
