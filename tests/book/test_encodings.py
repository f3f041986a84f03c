"""The tables that the interactive matrix asks for."""

from base64 import b64decode
from pathlib import Path

import numpy as np
import pytest

from pedocs import sinusoidal
from pedocs.book import encodings


@pytest.mark.parametrize("width", encodings.WIDTHS)
@pytest.mark.parametrize("layout", encodings.LAYOUTS)
def test_a_file_and_an_order_are_the_encodings(tmp_path: Path, width: int, layout: str) -> None:
    encodings.write(tmp_path)
    offered = encodings.offered(8, 16)["layouts"][layout]
    file = tmp_path / f"assets/figures/matrix-{offered['spacing']}-d{width}.bin"
    table = np.frombuffer(file.read_bytes(), "<i4").reshape(-1, width)
    shown = table[2:, table[offered["order"]]] / 1e6
    spacing, order = encodings.LAYOUTS[layout]
    expected = sinusoidal(np.arange(128), width, layout=order, spacing=spacing)  # type: ignore[arg-type]
    np.testing.assert_array_equal(shown, expected.round(6))


def test_the_page_holds_the_first_rows_of_one_file(tmp_path: Path) -> None:
    encodings.write(tmp_path)
    held = encodings.offered(8, 16)["held"]
    file = (tmp_path / "assets/figures" / held["file"]).read_bytes()
    assert file.startswith(b64decode(held["table"]))
    assert len(b64decode(held["table"])) == 4 * 8 * (2 + held["rows"])
