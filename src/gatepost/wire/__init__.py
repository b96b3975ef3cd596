"""What crosses a boundary: JSON in, JSON out, schemas, and no secrets."""
