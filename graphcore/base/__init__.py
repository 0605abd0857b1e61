"""What all rooms share: checks, threads, random streams, compiled loops on disk, progress."""
