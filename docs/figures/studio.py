"""Takes the picture of the studio for its guide: `python docs/figures/studio.py` from the repository, with Chromium installed."""

import json
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE.parents[1] / "src")]

from tests.app.animation.browser import Browser  # noqa: E402
from tests.app.studio.person import Person  # noqa: E402
from tests.app.studio.test_server import served  # noqa: E402


def main() -> None:
    """The slider-crank, run, with its rod selected."""
    with served(tempfile.mkdtemp()) as (client, _):
        browser = Browser(Path(tempfile.mkdtemp()), (1440, 860), timeout=600.0)
        person = Person(browser, f"{str(client.base_url).rstrip('/')}/?token={client.token}")
        data = client.get("/api/gallery/slider-crank").json()["ok"]["document"]
        browser.evaluate(f"window.studio.load({json.dumps(data)}, 'slider-crank.toml')")
        person.settled()
        person.press("F5")
        browser.wait_for("window.studio.runs.size === 1 && !window.studio.running.going")
        person.click("treeitem", "rod")
        person.click("button", "Fit the view (F)")
        browser.evaluate("window.studio.timeline.seek(0.45)")
        browser.wait_for("document.querySelector('.chart canvas')")
        browser.evaluate("new Promise((done) => setTimeout(done, 1500))")
        browser.picture(HERE / "studio.png")
        browser.close()


if __name__ == "__main__":
    main()
