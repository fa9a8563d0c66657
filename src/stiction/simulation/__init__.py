"""The clockwork: integrators, and what runs them."""
