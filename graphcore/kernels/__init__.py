"""What similarity is: kernels over the nodes of a graph."""
