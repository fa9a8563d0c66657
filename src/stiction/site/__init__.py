"""The documentation site: built from the pages in `docs`, opened without a network."""
