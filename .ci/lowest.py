"""Print the lowest versions that pyproject.toml declares of the packages that graphcore uses, as constraints of pip."""

import tomllib
from itertools import chain
from pathlib import Path

project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
declared = chain(project["dependencies"], *project["optional-dependencies"].values())
print("\n".join(sorted({each.replace(">=", "==") for each in declared if ">=" in each})))
