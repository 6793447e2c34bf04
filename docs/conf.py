"""Sphinx: the pages of this folder as HTML. `sphinx-build -W --keep-going -n -b html docs build/docs`."""

import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))  # docstrings.py
sys.path.insert(0, str(Path(__file__).parents[1] / "src"))  # these sources, whatever is installed

project = "sharnir"
author = "the sharnir developers"
extensions = ["myst_parser", "sphinx.ext.autodoc", "docstrings"]
source_suffix = {".md": "markdown"}
root_doc = "index"
html_theme = "furo"
html_title = "sharnir"
html_static_path = ["_static"]
html_css_files = ["site.css"]
smartquotes = False  # quotes of texts such as "joint" are Python's
myst_heading_anchors = 4

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
add_module_names = False
maximum_signature_line_length = 100
toc_object_entries_show_parents = "hide"

nitpicky = True
suppress_warnings = ["ref.python"]  # names that two classes have, such as Energy: the link leads to the public one
nitpick_ignore_regex = [
    # other packages: their inventories would have to be fetched from the network
    ("py:.*", r"(np|numpy|scipy|matplotlib|pathlib|collections|os|typing|types)\..*|Figure|Path|PathLike|csr_array"),
    ("py:class", r"DataFrame|Dataset"),
    # types inside the package that users neither make nor look into
    ("py:class", r"sharnir\.model\.element\.Element|sharnir\.flexible\..*\.(InertiaMoments|Stiffening)"),
    ("py:class", r"sharnir\.integrate\..*\.(DenseOutput|Integrator|Quicker|Sundials)"),
    ("py:class", r"sharnir\.(model\.contents\.Element|symbolic\.nodes\.Operand)"),
    ("py:class", r"sharnir\.studies\.(prepared_runs\.PreparedRuns|distributions\.Distribution)"),
    # what writers of records and kernels are handed: CONTRIBUTING.md and the sources describe it
    ("py:class", r"sharnir\.dynamics\.(memory|constraints|evaluation)\..*\.(Blocks|Drawing|Element|TreePart)"),
    ("py:class", r"sharnir\.(kernel\.compilation\.Pointer|model\.values\.Class)"),
    # words for what arguments accept: signatures show them, docs/api/running.md explains them
    ("py:class", r"AngleLike|Angles|Callback|Changes|Correction|Direction|FilePath|Formulation|InitialState|Method|NDArray"),
    ("py:class", r"Numbers|Output|Rows|Solver|Stabilization|State|Triple"),
    ("py:class", r"sharnir\.symbolic\.nodes\.(Number|Name|Call)|Node|Mechanism|DerivedFunctions"),
]

# files beside this folder that are pages of the site, too
OUTSIDE = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changes.md",
    "benchmarks/README.md": "measuring.md",
}
OUTSIDE_LINK = re.compile(rf"\]\(((?:\.\./)+)({'|'.join(map(re.escape, OUTSIDE))})(#[^)]*)?\)")
PARENTS = ("guide/coming-from",)  # pages with pages below them
PAGE_LINK = re.compile(r"\]\(([\w/-]+)\.md\)")


def setup(app: Any) -> None:
    """Pages are written for readers of the source tree; what the site needs besides is added here."""
    app.connect("source-read", adapt)


def adapt(app: Any, name: str, source: list[str]) -> None:
    """Links to files beside this folder lead to their copies in the site; tables of the first page become the side bar."""
    up = "../" * name.count("/")
    source[0] = OUTSIDE_LINK.sub(lambda m: f"]({up}{OUTSIDE[m[2]]}{m[3] or ''})", source[0])
    if name == root_doc:
        for section in re.split(r"^## ", source[0], flags=re.MULTILINE)[1:]:
            source[0] += contents(section, f":caption: {section.partition(chr(10))[0]}\n")
    elif name in PARENTS:
        source[0] += contents(source[0])


def contents(text: str, caption: str = "") -> str:
    """A hidden list of the pages that the tables of a text name, in their order: part of the side bar."""
    rows = "\n".join(line for line in text.splitlines() if line.startswith("|"))
    pages = "\n".join(PAGE_LINK.findall(rows))
    return f"\n```{{toctree}}\n:hidden:\n{caption}\n{pages}\n```\n" if pages else ""
