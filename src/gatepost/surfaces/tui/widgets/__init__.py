"""The parts that screens and dialogs are made of."""
