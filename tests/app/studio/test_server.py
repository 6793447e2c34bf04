"""The server: answers its page, refuses everybody else, and survives what happens to it."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest
from tests.app.studio.documents import PENDULUM

import sharnir


@contextlib.contextmanager
def served(folder):
    """A studio in a folder: a client with the token, the process."""
    command = [sys.executable, "-m", "sharnir", "studio", "--no-open"]
    here = {"PYTHONUNBUFFERED": "1", "PYTHONPATH": str(Path(sharnir.__file__).parents[1])}  # the package under test
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True, env={**os.environ, **here})
    try:
        address = re.search(r"(http://\S+)/\?token=(\S+)", process.stdout.readline())
        with httpx.Client(base_url=address[1], headers={"x-studio-token": address[2]}, timeout=300) as client:
            client.token, client.folder = address[2], str(folder)
            for _ in range(600):
                with contextlib.suppress(httpx.TransportError):
                    client.get("/api/files")
                    break
                time.sleep(0.1)
            yield client, process
    finally:
        process.terminate()
        process.wait(20)


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    folder = tmp_path_factory.mktemp("studio")
    with served(folder) as (client, _):
        yield client, folder


def test_strangers_are_refused_and_nothing_changes(studio):
    client, folder = studio
    before = sorted(path.name for path in folder.rglob("*"))
    question = {"name": "x.toml", "document": {}}
    for headers in (
        {"x-studio-token": ""},
        {"x-studio-token": "wrong"},
        {"origin": "http://example.org"},
        {"host": "example.org"},
    ):
        for path in ("/api/files/save", "/api/check", "/api/run", "/api/export"):
            assert client.post(path, json=question, headers=headers).status_code == 403, (headers, path)
    assert client.get("/", headers={"x-studio-token": client.token}).status_code == 403  # the page needs it in its address
    assert client.get(f"/?token={client.token}").status_code == 200
    assert sorted(path.name for path in folder.rglob("*")) == before


def test_malformed_questions_are_refused_in_words(studio):
    client, folder = studio
    for path, content in [
        ("/api/check", b"{"),
        ("/api/check", b"[]"),
        ("/api/check", b'{"document": 3}'),
        ("/api/files/save", b"{}"),
    ]:
        answer = client.post(path, content=content)
        assert 400 <= answer.status_code < 500 and answer.json()["error"], path
    assert client.post("/api/files/open", json={"name": "../x.toml"}).status_code == 422
    assert client.post("/api/export", json={"form": "python", "path": "../x", "document": {}}).status_code == 422
    assert client.post("/api/run/Z/stop", json={}).status_code == 404
    assert client.post("/api/check", content=b" " * (33 << 20)).status_code == 413
    assert list(folder.glob("*")) == []


def test_a_run_streams_its_messages_and_gives_the_numbers_of_simulate(studio, tmp_path):
    client, _ = studio
    with client.stream("POST", "/api/run", json={"document": PENDULUM, "name": "A"}) as answer:
        messages = [json.loads(line) for line in answer.iter_lines()]
    end = next(message for message in messages if message.get("kind") == "end")
    assert messages[-1] == {"ok": {"name": "A"}} and end["complete"] and end["trust"].startswith("good")
    found = client.post("/api/run/A/curves", json={"channels": ["O.q", "O.v"]}).json()["ok"]["curves"]
    from sharnir.app.studio.examination import read_document

    model, _ = read_document(PENDULUM, tmp_path)
    result = model.simulate(2.0, step=0.01)
    assert [curve["unit"] for curve in found] == ["rad", "rad/s"]
    for curve in found:
        assert curve["values"] == result[curve["name"]].tolist()  # bit by bit


def test_a_long_run_is_paused_and_stopped_and_keeps_what_it_has(studio):
    client, _ = studio
    document = PENDULUM | {"simulation": {"t_end": 1e7, "step": 100.0, "integrator": "rk4"}}
    document["simulation"] = {"t_end": 20000.0, "step": 0.01, "tolerance": 1e-10}
    with client.stream("POST", "/api/run", json={"document": document, "name": "B"}) as answer:
        seen = []
        for line in answer.iter_lines():
            message = json.loads(line)
            seen.append(message.get("kind"))
            if seen.count("frames") == 1 and "paused" not in seen:
                httpx.post(f"{client.base_url}/api/run/B/pause", json={}, headers=client.headers, timeout=60)
            if message.get("kind") == "paused":
                httpx.post(f"{client.base_url}/api/run/B/stop", json={}, headers=client.headers, timeout=60)
            if message.get("kind") == "end":
                end = message
    assert "paused" in seen and not end["complete"] and end["view"] is not None
    curve = client.post("/api/run/B/curves", json={"channels": ["O.q"]}).json()["ok"]["curves"][0]
    assert 0 < curve["t"][-1] < 20000.0


def test_a_killed_worker_harms_nothing(studio):
    client, _ = studio
    assert client.post("/api/check", json={"document": PENDULUM}).json()["ok"]["problems"] == []
    children = subprocess.run(["pgrep", "-f", "multiprocessing.spawn"], capture_output=True, text=True).stdout.split()
    for child in children:
        with contextlib.suppress(OSError):
            if client.folder in Path(f"/proc/{child}/cwd").resolve().as_posix():  # the workers of this studio, no others
                os.kill(int(child), signal.SIGKILL)
    answer = client.post("/api/check", json={"document": PENDULUM}).json()
    if "error" in answer:  # the question that was under way when the process ended
        answer = client.post("/api/check", json={"document": PENDULUM}).json()
    assert answer["ok"]["freedoms"] == 1


def test_edits_survive_a_server_that_is_killed(tmp_path):
    with served(tmp_path) as (client, process):
        client.post("/api/files/autosave", json={"name": "", "document": PENDULUM})
        process.kill()
        process.wait(20)
    with served(tmp_path) as (client, _):
        assert client.get("/api/catalogue").json()["recovered"] == PENDULUM


def test_drag_rename_analysis_equations_and_exports_answer(studio):
    client, folder = studio
    dragged = client.post("/api/drag", json={"document": PENDULUM, "joint": "O", "value": 1.0}).json()["ok"]
    assert abs(dragged["q"]["O"][0] - 1.0) < 1e-9
    question = {"document": PENDULUM, "section": "bodies", "old": "bob", "new": "ball"}
    assert client.post("/api/rename", json=question).json()["ok"]["document"]["joints"]["O"]["child"] == "ball"
    modes = client.post(
        "/api/analysis", json={"document": PENDULUM | {"joints": {"O": PENDULUM["joints"]["O"] | {"q": 0}}}, "kind": "modes"}
    )
    assert abs(modes.json()["ok"]["modes"][0]["frequency"] - 0.4985) < 1e-3
    assert "sin" in client.post("/api/equations", json={"document": PENDULUM, "letters": True}).json()["ok"]["text"]
    assert client.post("/api/export", json={"form": "python", "path": "p", "document": PENDULUM}).json()["ok"]["name"] == "p.py"
    assert (folder / "p.py").exists()
    assert len(client.get("/api/gallery").json()["ok"]) > 10
