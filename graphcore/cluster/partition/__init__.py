"""Carry the coreset's labels to all nodes."""
