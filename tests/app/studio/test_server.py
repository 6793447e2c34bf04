"""The server: answers its page, refuses everybody else, and survives what happens to it."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import tomllib
from pathlib import Path

import httpx
import pytest
from tests.app.studio.documents import PENDULUM

import sharnir

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


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
        process.wait(120)


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    folder = tmp_path_factory.mktemp("studio")
    with served(folder) as (client, _):
        yield client, folder


ASKED = (
    *("/api/check", "/api/drag", "/api/rename", "/api/equations", "/api/analysis", "/api/export", "/api/run", "/api/run/A/stop"),
    *("/api/run/A/curves", "/api/run/A/change", "/api/sweep", "/api/sweep/stop", "/api/files/open", "/api/files/save"),
    *("/api/files/autosave", "/api/files/forget", "/api/files/import"),
)
READ = ("/", "/api/catalogue", "/api/files", "/api/gallery", "/api/gallery/car")


def content_of(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_strangers_are_refused_and_nothing_changes(studio):
    client, folder = studio
    (folder / "kept.toml").write_text("[bodies.bob]\nmass = 1\n")
    before = content_of(folder)
    question = {"name": "kept.toml", "document": {"bodies": {}}, "form": "python", "path": "kept"}
    for headers in (
        {"x-studio-token": ""},
        {"x-studio-token": "wrong"},
        {"origin": "http://example.org"},
        {"origin": "null"},
        {"host": "example.org"},
        {"host": "127.0.0.1"},
        {"sec-fetch-site": "cross-site"},
    ):
        for path in ASKED:
            assert client.post(path, json=question, headers=headers).status_code == 403, (headers, path)
        for path in READ:
            assert client.get(path, headers=headers).status_code == 403, (headers, path)
        assert client.delete("/api/run/A", headers=headers).status_code == 403
    assert client.get("/?token=wrong").status_code == 403
    assert content_of(folder) == before
    (folder / "kept.toml").unlink()
    assert client.get("/", headers={"x-studio-token": client.token}).status_code == 403  # the page needs it in its address
    assert client.get(f"/?token={client.token}").status_code == 200


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
    for name in ("x" * 201, "ü" * 101, "x/" + "y" * 300):  # no file system has such names
        assert client.post("/api/files/save", json={"name": name, "document": PENDULUM}).status_code == 422
    ends = {"document": PENDULUM, "parameter": "l", "channels": ["O.q"], "low": 1, "high": 2, "count": 3}
    for wrong in (
        {"count": 10**9},
        {"count": "many"},
        {"low": "a"},
        {"high": None},
        {"low": -1, "spacing": "logarithmic"},
        {"m": 1},
    ):
        answer = client.post("/api/sweep", json=ends | wrong)
        assert answer.status_code in (400, 422) and answer.json()["error"], wrong
    for wrong in ({"kind": "dance"}, {"speed": 1}):
        assert client.post("/api/run", json={"document": PENDULUM, "name": "Z"} | wrong).status_code == 400
    assert client.post("/api/files/open", json={"name": "x.toml", "mode": "w"}).status_code == 400
    assert client.post("/api/run/Z/stop", json={}).status_code == 404
    assert client.post("/api/check", content=b" " * (33 << 20)).status_code == 413
    chunks = (b" " * (1 << 20) for _ in range(34))  # no length is given
    with contextlib.suppress(httpx.TransportError):
        assert client.post("/api/check", content=chunks).status_code == 400
    for path in ASKED:
        for content in (b"", b"\xff", b"null", b'{"document": []}', b'{"nonsense": 1}', b"[" * 100_000):
            answer = client.post(path, content=content)
            assert path == "/api/sweep/stop" or (answer.status_code < 500 and "error" in answer.json()), (path, content)
    assert [path.name for path in folder.iterdir() if path.name != ".studio-session"] == []


def test_paths_and_links_lead_nowhere_else(studio, tmp_path):
    client, folder = studio
    secret = tmp_path / "secret.toml"
    secret.write_text("[bodies.secret]\nmass = 1\n")
    (folder / "link.toml").symlink_to(secret)
    (folder / "way").symlink_to(tmp_path)
    for kind in (".py", ".glb", "-linear.json", "-picture.png"):
        (folder / f"out{kind}").symlink_to(tmp_path / f"made{kind}")
    (folder / ".mine.studio-autosave").symlink_to(tmp_path / "autosave")
    before = content_of(tmp_path)
    for name in ("link.toml", "way/secret.toml", "../secret.toml", str(secret), "a/../../x.toml", "x\0.toml", ""):
        for what in ("open", "save", "import"):
            given = {"document": PENDULUM} if what == "save" else {}
            answer = client.post(f"/api/files/{what}", json={"name": name, **given})
            assert answer.status_code == 422 and "secret" not in answer.json(), (what, name)
    for form, given in (("python", {}), ("glb", {}), ("linear", {}), ("image", {"image": PNG})):
        for path in ("out", "way/x", "../x", str(tmp_path / "x")):
            question = {"form": form, "path": path, "document": PENDULUM, **given}
            assert client.post("/api/export", json=question).status_code == 422, (form, path)
    assert client.post("/api/files/autosave", json={"name": "mine.toml", "document": PENDULUM}).status_code == 422
    assert client.post("/api/export", json={"form": "image", "path": "p", "document": {}, "image": "aGFsbG8="}).status_code == 422
    curve = {"x": 1, "file": "../secret.toml"}
    document = PENDULUM | {"forces": {"f": {"type": "joint-force", "joint": "O", "torque": curve}}}
    problems = client.post("/api/check", json={"document": document}).json()["ok"]["problems"]
    assert problems and "mass" not in json.dumps(problems)
    assert content_of(tmp_path) == before
    for path in folder.iterdir():
        path.unlink()


def test_a_wrong_question_does_not_cost_a_run(studio):
    client, _ = studio
    with client.stream("POST", "/api/run", json={"document": PENDULUM, "name": "K"}) as answer:
        assert json.loads(list(answer.iter_lines())[-1]) == {"ok": {"name": "K"}}
    for question in (
        {"channels": 5},
        {"channels": ["O.q"], "start": "soon"},
        {"channels": ["nothing"]},
        {"channels": ["bob.position"]},
    ):
        assert client.post("/api/run/K/curves", json=question).status_code == 422, question
    assert len(client.post("/api/run/K/curves", json={"channels": ["O.q"]}).json()["ok"]["curves"][0]["t"]) == 201
    assert client.delete("/api/run/K").status_code == 200
    assert client.post("/api/run/K/curves", json={"channels": ["O.q"]}).status_code == 404


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
                httpx.post(f"{client.base_url}/api/run/B/pause", json={}, headers=client.headers, timeout=300)
            if message.get("kind") == "paused":
                httpx.post(f"{client.base_url}/api/run/B/stop", json={}, headers=client.headers, timeout=300)
            if message.get("kind") == "end":
                end = message
    assert "paused" in seen and not end["complete"] and end["view"] is not None
    curve = client.post("/api/run/B/curves", json={"channels": ["O.q"]}).json()["ok"]["curves"][0]
    assert 0 < curve["t"][-1] < 20000.0


def test_a_killed_worker_harms_nothing(studio):
    client, _ = studio
    assert client.post("/api/check", json={"document": PENDULUM}).json()["ok"]["problems"] == []
    for child in workers_of(client.folder):
        with contextlib.suppress(OSError):
            os.kill(child, signal.SIGKILL)
    answer = client.post("/api/check", json={"document": PENDULUM}).json()
    if "error" in answer:  # the question that was under way when the process ended
        answer = client.post("/api/check", json={"document": PENDULUM}).json()
    assert answer["ok"]["freedoms"] == 1


def workers_of(folder):
    """Processes that compute for the studio of a folder."""
    listed = subprocess.run(["pgrep", "-f", "multiprocessing.spawn"], capture_output=True, text=True).stdout.split()
    found = []
    for child in listed:
        with contextlib.suppress(OSError):
            if Path(f"/proc/{child}/cwd").resolve() == Path(folder):  # the workers of this studio, no others
                found.append(int(child))
    return found


def test_a_server_killed_during_a_run_and_a_save_loses_nothing(tmp_path):
    sizes = range(1, 400)
    documents = [PENDULUM | {"parameters": {f"p{k}": float(n) for k in range(2000)}} for n in sizes]
    long_run = PENDULUM | {"simulation": {"t_end": 1e6, "step": 0.01}}
    with served(tmp_path) as (client, process):
        token, saved = client.token, []
        client.post("/api/files/autosave", json={"name": "", "document": PENDULUM})
        with client.stream("POST", "/api/run", json={"document": long_run, "name": "A"}) as answer:
            for line in answer.iter_lines():
                if json.loads(line).get("kind") == "frames":  # the run is on its way
                    break

            def save():
                with contextlib.suppress(httpx.HTTPError):
                    for n, document in zip(sizes, documents, strict=True):
                        address, given = f"{client.base_url}/api/files/save", {"name": "m.toml", "document": document}
                        httpx.post(address, json=given, headers=client.headers, timeout=300).raise_for_status()
                        saved.append(n)

            saving = threading.Thread(target=save)
            saving.start()
            while len(saved) < 3 and saving.is_alive():
                time.sleep(0.01)
            process.kill()
            process.wait(120)
            saving.join()
    number = tomllib.loads((tmp_path / "m.toml").read_text())["parameters"]["p0"]
    assert number in (saved[-1], saved[-1] + 1)  # the last one that was answered, or the one under way, as a whole
    for _ in range(2400):  # it only waits as long as it must
        if not workers_of(tmp_path):
            break
        time.sleep(0.1)
    assert workers_of(tmp_path) == []  # the run has noticed
    with served(tmp_path) as (client, _):
        assert client.token == token  # the page that is still open finds the new server
        assert client.get("/api/catalogue").json()["recovered"] == PENDULUM
        assert client.post("/api/files/open", json={"name": "m.toml"}).json()["ok"]["document"]["parameters"]["p0"] == number


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
    (folder / "mine").mkdir()
    (folder / "mine" / "p.py").write_text("# written by hand")
    for path, name in (("p", "p.py"), ("mine/p", "mine/p-2.py"), ("mine/p", "mine/p-2.py")):  # what is not ours stays
        question = {"form": "python", "path": path, "document": PENDULUM}
        assert client.post("/api/export", json=question).json()["ok"]["name"] == name
    assert (folder / "mine" / "p.py").read_text() == "# written by hand"
    assert len(client.get("/api/gallery").json()["ok"]) > 10
