"""What the page on flats shows does run."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs" / "flats.md"


def test_the_examples_of_the_page_run():
    found = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert len(found) == 6
    namespace = {}
    for code in found:
        exec(compile(code, str(PAGE), "exec"), namespace)
    assert namespace["search"].best_params_ == {"n_clusters": 20, "n_dims": 5}
