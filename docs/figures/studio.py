"""Takes the pictures of the studio's tour: `python docs/figures/studio.py` from the repository, with Chromium installed."""

import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE.parents[1] / "src")]

from PIL import Image  # noqa: E402
from tests.app.animation.browser import Browser  # noqa: E402
from tests.app.studio.person import Person  # noqa: E402
from tests.app.studio.test_server import served  # noqa: E402
from tests.app.studio.tour import STEPS  # noqa: E402

SIZE = (1366, 768)
COLORS = 256
DRAWN = "new Promise((done) => setTimeout(done, 1500))"  # pictures and plots draw themselves a moment later


def main() -> None:
    """One picture after each step."""
    with served(tempfile.mkdtemp()) as (client, _):
        browser = Browser(Path(tempfile.mkdtemp()), SIZE, timeout=600.0)
        person = Person(browser, f"{str(client.base_url).rstrip('/')}/?quality=full&token={client.token}")
        browser.evaluate("window.studio.setLook('light')")
        for name, step in STEPS.items():
            step(person)
            browser.evaluate(DRAWN)
            picture = Image.fromarray(browser.picture().astype("uint8"))
            picture.quantize(COLORS).save(HERE / f"studio-{name}.png", optimize=True)
            print(name, flush=True)
        browser.evaluate("window.studio.document.markSaved('x')")
        browser.close()


if __name__ == "__main__":
    main()
