"""XML text as a tree, without document types and entities, which only serve attacks here."""

from __future__ import annotations

import re
from typing import Any, NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from sharnir.errors import ModelFileError

DEEPEST = 100  # elements inside each other
# some files have blanks or comments before their XML declaration, where XML does not permit anything
BEFORE_DECLARATION = re.compile(rb"(\s|<!--.*?-->)+(?=<\?xml\s)", re.DOTALL)
COMMENT = re.compile(rb"<!--(.*?)-->", re.DOTALL)
BLANKS = b" \t\r\n"


def parsed_xml(content: bytes, source: str) -> Element:
    """The root element.

    >>> parsed_xml(b"<robot name='arm'/>", "text").get("name")
    'arm'
    """
    builder = TreeBuilder()
    depth = 0

    def refuse(*_: Any) -> NoReturn:
        raise ModelFileError([("", "has a document type or entities, which are not read; remove <!DOCTYPE …>")], source=source)

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            raise ModelFileError([("", f"has elements nested more than {DEEPEST} deep")], source=source)
        builder.start(tag, attributes)

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(tag)

    early = BEFORE_DECLARATION.match(content)
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = builder.data
    try:
        start_of_text = 0 if early is None else early.end()
        parser.Parse(COMMENT.sub(_without_hyphens, content[start_of_text:].lstrip(BLANKS)), True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        if isinstance(error, ModelFileError):
            raise
        raise ModelFileError([("", f"is not valid XML: {error}")], source=source) from None
    return builder.close()


def _without_hyphens(comment: re.Match[bytes]) -> bytes:
    """A comment without two hyphens in its text, which XML does not permit there and some files have."""
    text = comment[1]
    return comment[0] if b"--" not in text and not text.endswith(b"-") else b"<!--" + text.replace(b"-", b" ") + b"-->"
