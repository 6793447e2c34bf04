"""Sphinx extension: docstrings of sharnir as reStructuredText, and links from type annotations to the API pages.

Docstrings are written for readers of the source: names in single backticks, entries `name : text` (several on one line where
they are short, three spaces between them), tables with bars. Sphinx wants other marks for the same things.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

from docutils import nodes

NAME = r"\w+(?: [\[(][^\])]*[\])])?"  # with a unit or a shape, as in "cornering [N/rad]", "nodes (n, 3)"
ENTRY = re.compile(rf"^(?P<names>{NAME}(?:, {NAME})*) : (?P<text>\S.*)$")
NEXT_ENTRY = re.compile(rf"(?<=\S) {{3,}}(?={NAME}(?:, {NAME})* : \S)")
SECTION = re.compile(r"^-{3,}$")
CODE = re.compile(r"`([^`\n]+)`")
LINKED = re.compile(r"\b(?:[A-Z][a-z]+(?:[A-Z][a-z]*)+|FEModel|PID)\b")  # two capitals: a class, not the first word of a sentence
SPECIAL = re.compile(r"([*_|\\`])")
ANY = r"(?:~?typing\.)?Any|(?:~?typing\.)?Annotated\[[^\]]*Kind\([^)]*\)\]"
RETURNED = {"System", "Moment", "NodeMotion", "MixedProblem", "BodyState", "Energy", "Ensemble", "Equations"}  # users get these


def untyped() -> re.Pattern[str]:
    """Annotations that say nothing to a user: `Any`, and the words of model/values.py for what a field holds."""
    from sharnir.model import values

    words = "|".join(name for name, value in vars(values).items() if hasattr(value, "__metadata__"))
    return re.compile(rf": (?:{ANY}|(?:{words})\b)(?: \| None)?(?! \|)")


def public_names() -> dict[str, str]:
    """Short name → full name of what the package offers."""
    import sharnir
    import sharnir.flexible

    own = {name: f"sharnir.flexible.{name}" for name in sharnir.flexible.__all__}
    return own | {name: f"sharnir.{name}" for name in sharnir.__all__}


def inline(text: str, names: dict[str, str]) -> str:
    """One line of prose: code in double backticks, names of classes as links, everything else taken literally."""

    def prose(part: str) -> str:
        escaped = SPECIAL.sub(r"\\\1", part)
        return LINKED.sub(lambda m: f":py:obj:`~{names[m[0]]}`\\ " if m[0] in names else m[0], escaped)

    out, at = [], 0
    for code in CODE.finditer(text):
        out.append(prose(text[at : code.start()]))
        name = code[1]
        out.append(f":py:obj:`~{names[name]}`\\ " if name in names else f"``{name}``\\ ")
        at = code.end()
    out.append(prose(text[at:]))
    return "".join(out).rstrip().removesuffix("\\") if not out[-1] else "".join(out)


def paragraphs(lines: list[str]) -> Iterator[list[str]]:
    """Runs of lines without blank ones between them."""
    found: list[str] = []
    for line in [*lines, ""]:
        if line.strip():
            found.append(line)
        elif found:
            yield found
            found = []


def entries(lines: list[str]) -> list[tuple[str, str]]:
    """(names, text) of a paragraph that consists of entries; empty if it does not."""
    if not ENTRY.match(lines[0]):
        return []
    found: list[tuple[str, str]] = []
    for line in lines:
        for part in NEXT_ENTRY.split(line):
            match = ENTRY.match(part)
            if match:
                found.append((match["names"], match["text"]))
            else:
                names, text = found[-1]
                found[-1] = names, f"{text} {part.strip()}"
    return found


def table(lines: list[str], names: dict[str, str]) -> list[str]:
    """A table with bars as a list-table."""
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
    out = [".. list-table::", "   :header-rows: 1", ""]
    for row in (rows[0], *rows[2:]):
        out += [f"   {'* -' if k == 0 else '  -'} {inline(cell, names)}" for k, cell in enumerate(row)]
    return out


def restructured(lines: list[str], names: dict[str, str]) -> list[str]:
    """A docstring of ours as reStructuredText."""
    out: list[str] = []
    for lines_ in paragraphs(lines):
        paragraph = lines_
        if len(paragraph) > 1 and SECTION.match(paragraph[1]):
            if paragraph[0] != "Parameters":  # these stand right below the signature
                out += [f"**{paragraph[0]}**", ""]
            paragraph = paragraph[2:]
        if not paragraph:
            continue
        if paragraph[0].startswith(">>>"):
            out += paragraph
        elif paragraph[0].startswith("|"):
            out += table(paragraph, names)
        elif found := entries(paragraph):
            for name, text in found:
                head = re.sub(r"\w+(?= [\[(]|,|$)(?![^(\[]*[\])])", lambda m: f"``{m[0]}``", name)
                out += [head, f"    {inline(text, names)}"]
        else:
            out += [inline(line.strip(), names) for line in paragraph]
        out.append("")
    return out


def process_docstring(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Event of autodoc."""
    lines[:] = restructured(lines, app.config.sharnir_names)


def process_signature(app: Any, what: str, name: str, obj: Any, options: Any, signature: Any, returned: Any) -> Any:
    """Event of autodoc: `Any` says nothing; what is possible stands in the description."""
    if signature is None:
        return None
    if what == "class" and name.rpartition(".")[2] in RETURNED:
        return "", None
    if what == "class" and is_kind_of_joint(obj):
        signature = own_parameters(obj)
    signature = untyped().sub("", signature).replace("<factory>", "...")
    return signature, None if returned in ("None", "Any", "~typing.Any") else returned


def is_kind_of_joint(obj: Any) -> bool:
    """Whether a class is a joint, but not Joint itself."""
    from sharnir import Joint

    return isinstance(obj, type) and issubclass(obj, Joint) and obj is not Joint


def own_parameters(kind: Any) -> str:
    """The signature of a kind of joint without the keywords that all joints have."""
    from sharnir import Joint

    common = inspect.signature(Joint).parameters
    everything = inspect.signature(kind)
    kept = [p for p in everything.parameters.values() if p.kind is not p.KEYWORD_ONLY or p.name not in common]
    kept = [p.replace(annotation=p.empty) for p in kept] + [inspect.Parameter("options", inspect.Parameter.VAR_KEYWORD)]
    return str(inspect.Signature(kept))


def resolve(app: Any, env: Any, node: Any, contnode: Any) -> Any:
    """Event of Sphinx: annotations name classes by the modules in which they live; pages name them as users do."""
    short = node.get("reftarget", "").rpartition(".")[2]
    domain = env.get_domain("py")
    found = [full for full in domain.objects if full.rpartition(".")[2] == short and full[: -len(short)].islower()]
    if node.get("refdomain") != "py" or len(found) != 1 or not found[0].startswith("sharnir"):
        return None
    contnode = nodes.literal(text=short) if node.get("reftype") == "obj" else nodes.Text(short)
    from sphinx.util.nodes import make_refnode

    entry = domain.objects[found[0]]
    return make_refnode(app.builder, node["refdoc"], entry.docname, entry.node_id, contnode, found[0])


def setup(app: Any) -> dict[str, Any]:
    """Connect with autodoc."""
    app.add_config_value("sharnir_names", public_names(), "env")
    app.connect("autodoc-process-docstring", process_docstring)
    app.connect("autodoc-process-signature", process_signature)
    app.connect("missing-reference", resolve)
    return {"parallel_read_safe": True}
