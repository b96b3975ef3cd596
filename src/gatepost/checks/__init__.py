"""How is it proven? Runs checks under limits, knows what a person trusts, and marks the source tree."""
