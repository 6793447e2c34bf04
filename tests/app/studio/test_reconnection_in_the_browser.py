"""A page whose server is killed keeps its edits, and finds the server that is started again."""

import time

import pytest
from tests.app.animation.browser import CHROMIUM, Browser
from tests.app.studio.documents import PENDULUM
from tests.app.studio.person import Person
from tests.app.studio.test_server import served
from tests.app.studio.test_studio_in_the_browser import put

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]


def comes_to(browser, condition):
    """Wait for a condition, although the page tells of requests that were not answered."""
    end = time.monotonic() + 120
    while not browser.evaluate(f"Boolean({condition})"):
        assert time.monotonic() < end, condition
        time.sleep(0.2)


def test_a_page_finds_its_server_again(tmp_path):
    folder, profile = tmp_path / "models", tmp_path / "chromium"
    folder.mkdir()
    with served(folder) as (client, process):
        browser = Browser(profile, (1366, 768), timeout=240.0)
        person = Person(browser, f"{str(client.base_url).rstrip('/')}/?token={client.token}")
        put(person, PENDULUM)
        process.kill()
        process.wait(20)
    try:
        person.click("treeitem", "bob")
        person.fill("mass", "7")
        comes_to(browser, "window.studio.root.classList.contains('lost')")
        with served(folder) as (client, _):
            comes_to(browser, "!window.studio.root.classList.contains('lost')")
            comes_to(browser, "window.studio.root.dataset.checked === String(window.studio.document.revision)")
            assert browser.evaluate("window.studio.document.data.bodies.bob.mass") == 7
            for _ in range(100):
                kept = client.get("/api/catalogue").json()["recovered"]
                if kept:
                    break
                time.sleep(0.1)
            assert kept["bodies"]["bob"]["mass"] == 7  # what was edited meanwhile is kept now
            browser.evaluate("window.studio.document.markSaved('')")
    finally:
        browser.close()
