"""Small functions on texts."""
