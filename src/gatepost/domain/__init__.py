"""The domain: pure values and rules."""
