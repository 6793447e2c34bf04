"""The page of a study: what it holds, and what it shows in a browser."""

import base64
import json
import re

import numpy as np
import pytest

from app.animation.browser import CHROMIUM, Browser
from sharnir.studies import study_page
from sharnir.studies.study_page import page_data, page_text
from studies.falling_stones import fails_sometimes, study


def held(page):
    data = json.loads(re.search(r'type="application/json">(.*?)</script>', page, re.S)[1])
    return {one["name"]: np.frombuffer(base64.b64decode(one["values"])) for one in data["columns"]}


def test_it_holds_the_numbers_and_asks_nobody():
    result = study(outputs={"end": fails_sometimes}, title="</script> & <b>").run()
    page = page_text(result)
    columns = held(page)
    assert list(columns) == ["h", "end"]
    for name, values in columns.items():
        np.testing.assert_array_equal(values, result[name])
    assert not re.search(r"(src|href)=|https?://|</script> & <b>", page)
    assert "ValueError: too high" in page


def test_of_many_runs_some_are_drawn(monkeypatch):
    monkeypatch.setattr(study_page, "MOST_SHOWN", 10)
    result = study().run()
    data = page_data(result)
    assert data["shown"] == 10
    drawn = np.frombuffer(base64.b64decode(data["columns"][0]["values"]))
    assert (drawn[0], drawn[-1]) == (result["h"][0], result["h"][-1])


@pytest.mark.chromium
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian: apt-get install chromium)")
def test_ranges_are_chosen_in_the_browser(tmp_path):
    result = study().run()
    page = result.page(tmp_path / "study.html")
    browser = Browser(tmp_path / "chromium", size=(1100, 1000))
    try:
        browser.open(page, ready="document.body && document.body.dataset.ready === 'yes'")
        assert browser.errors == []
        assert not [request for request in browser.requests if request.startswith("http")]
        shown = browser.evaluate("document.getElementById('numbers').innerText")
        assert f"{float(result['end'].mean()):.4g}" in shown
        assert (browser.picture().astype(int).std(axis=2) > 30).sum() > 2000  # coloured lines and points
        drag = """
            const box = document.getElementById('parallel').getBoundingClientRect(), x = box.left + axisAt(0, box.width);
            const at = (type, part) => document.getElementById('parallel').dispatchEvent(new PointerEvent(type,
                {clientX: x, clientY: box.top + TOP + (box.height - TOP - BOTTOM) * (1 - part), pointerId: 1}));
            document.getElementById('parallel').setPointerCapture = () => {};
            at('pointerdown', 0.5); at('pointermove', 1.0); at('pointerup', 1.0);
            document.getElementById('kept').textContent"""
        inside = int((result["h"] >= 2.0).sum())
        assert browser.evaluate(drag).startswith(f"{inside} of 24 runs")
        assert browser.errors == []
    finally:
        browser.close()
