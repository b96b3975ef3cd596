"""For tests of your own: the suite that every filesystem passes."""
