"""What a graph is and where it comes from."""
