"""The steps of the guide's tour can be done, and its page shows a picture of each."""

from pathlib import Path

import pytest
from tests.app.animation.browser import CHROMIUM
from tests.app.studio.test_studio_in_the_browser import person, studio  # noqa: F401
from tests.app.studio.tour import STEPS

DOCS = Path(__file__).parents[3] / "docs"
LARGEST = 200_000  # bytes


def test_the_page_shows_a_small_picture_of_every_step():
    text = (DOCS / "guide" / "studio-tour.md").read_text(encoding="utf-8")
    for name in STEPS:
        picture = DOCS / "figures" / f"studio-{name}.png"
        assert f"../figures/{picture.name}" in text and picture.stat().st_size < LARGEST
    assert {path.name for path in (DOCS / "figures").glob("studio*.png")} == {f"studio-{name}.png" for name in STEPS}


@pytest.mark.chromium
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_all_steps_can_be_done(person):  # noqa: F811
    try:
        for step in STEPS.values():
            step(person)
    finally:
        person.browser.evaluate("localStorage.clear()")
    assert person.browser.errors == []
