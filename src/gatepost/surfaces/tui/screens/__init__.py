"""What fills the terminal: one screen at a time."""
