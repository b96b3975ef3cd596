"""What crosses a boundary: JSON in, JSON out, schemas; and which credentials must not get in."""
