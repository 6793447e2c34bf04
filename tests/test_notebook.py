"""What a notebook shows of models, results, equations and animations."""

from html.parser import HTMLParser
from pathlib import Path

import pytest

import sharnir as sr
from app.animation.browser import CHROMIUM, Browser
from sharnir.notebook import InlinePage, card

CELLS = [
    """import sharnir as sr
m = sr.Model("pendulum <1>")
m.add(sr.Body("bob", mass=1, shape=sr.Rod((0, 0, 0), (1, 0, 0), radius=0.05, color="#ff0000")))
m.add(sr.Revolute("hinge", "ground", "bob", at=(0, 0, 0), axis="y"))
m""",
    "m.show()",
    "m.compile()",
    "m.topology()",
    "result = m.simulate(1.0, step=0.1)\nresult",
    "result.animate(plots=())",
    "m.equations()",
    'result.plot("hinge.q")',
    'result.animate(plots=["hinge.q"])',
]


class Balanced(HTMLParser):
    """Tags that are open."""

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_names_are_escaped_and_tags_are_closed():
    text = card("a <b>", "x < y & z", [("one", ("n", "v"), [("<i>", 1)]), ("none", ("n",), [])])
    assert "<i>" not in text and "x &lt; y &amp; z" in text and "none" not in text
    parser = Balanced()
    parser.feed(text)
    assert parser.open == []


def test_objects_describe_themselves():
    m = sr.Model("arm")
    l = m.parameter("l", 0.5)
    m.add(sr.Body("a", mass=1, position=(l, 0, 0)), sr.Revolute("hinge", "ground", "a", at=(0, 0, 0), axis="y"))
    assert "0.5" in m._repr_html_() and "Revolute &#x27;hinge&#x27;" in m._repr_html_()
    assert repr(m.compile()) == "System of 'arm': 1 coordinate, 1 speed; joint coordinates, method articulated"
    assert "hinge.q" in m.compile()._repr_html_()
    result = m.simulate(0.1)
    assert "trust: good" in result._repr_html_() and '<td style="text-align:left">hinge.q</td>' in result._repr_html_()
    assert "hinge" in m.topology()._repr_html_()


def test_initial_position_is_drawn_before_any_run(tmp_path):
    m = sr.Model()
    m.add(sr.Body("a", mass=1, shape=sr.Sphere(0.1)), sr.Revolute("hinge", "ground", "a", at=(1, 0, 0), axis="y", q=0.5))
    page = m.show(tmp_path / "a.html").read_text()
    assert '"kind":"sphere"' in page
    assert page.count('"still":false') == 1  # the body has its colour; the ground is grey
    assert isinstance(m.show(), InlinePage)


@pytest.mark.chromium
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian: apt-get install chromium)")
def test_a_notebook(tmp_path, monkeypatch):
    """Its cells run in a kernel, and what they show is looked at in a browser."""
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("PYTHONPATH", str(Path(sr.__file__).parents[1]))  # the kernel is another process
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    nbclient.NotebookClient(book, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [[output for output in cell.outputs if output.output_type != "stream"] for cell in book.cells]
    assert all(len(outputs) == 1 for outputs in shown)
    kinds = [outputs[0].data for outputs in shown]
    assert all("text/html" in data for data in kinds[:7]) and "image/png" in kinds[7]
    for number in (1, 5, 8):
        page = tmp_path / f"cell{number}.html"
        page.write_text(f"<!doctype html><body>{kinds[number]['text/html']}", encoding="utf-8")
        browser = Browser(tmp_path / f"profile{number}", (900, 640))
        try:
            browser.open(page, ready="document.querySelector('iframe') !== null")
            for _ in range(40):
                picture = browser.picture()
                red = (picture[..., 0] > 120) & (picture[..., 1] < 80) & (picture[..., 2] < 80)
                if red.sum() > 500:
                    break
            assert red.sum() > 500, "the red rod is not drawn"
            blue = (picture[..., 2] > 200) & (picture[..., 0] < 80)
            assert number != 8 or blue[490:535].sum() > 20, "the curve is not drawn"
            assert not browser.errors
        finally:
            browser.close()
