"""Infrastructure of all packages: checks, threads, random streams, compiled loops on disk, progress."""
