"""Dask: where passes over blocks of rows run if not in threads of this process. No algorithm is here."""
