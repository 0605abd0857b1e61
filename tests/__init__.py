import os

os.environ.setdefault("GRAPHCORE_COMPILE_AT_ONCE", "1")  # loops are tested compiled, whatever is on this disk already
