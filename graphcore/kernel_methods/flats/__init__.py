"""k-flats and kernel k-flats: clusters around points, lines, planes, in the data or in feature space."""
