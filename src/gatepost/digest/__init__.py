"""Making a digest: what a repository's own files say of its layout, its commands and its pitfalls."""
