"""A weighted few nodes that stand for all."""
