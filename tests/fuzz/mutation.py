"""Small wrong changes of text and bytes, as hands, editors, disks and attackers make them. All by a random generator."""

from __future__ import annotations

import re

from numpy.random import Generator

NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")
WORD = re.compile(r"[A-Za-z_][\w.-]*")
ODD_NUMBERS = (
    *("nan", "inf", "-inf", "0", "-1", "1e308", "-1e308", "1e-320", "1e999", "1000000000", "10000000000000000000000000000000"),
    *(
        "true",
        "false",
        '""',
        '"text"',
        "[]",
        "[[]]",
        "[1, 2]",
        "{}",
        "{a = 1}",
        "1.5",
        "-0.0",
        "0x10",
        "1979-05-27",
        "'''",
        "9" * 400,
    ),
)
ODD_TEXTS = (
    *(
        "",
        " ",
        "\x00",
        "\ufeff",
        "ground",
        "t",
        "q",
        "nan",
        "../../etc/passwd",
        "/dev/zero",
        "a" * 5000,
        "é",
        "\U0001f600",
        "a.b",
    ),
    *("1/0", "sqrt(-1)", "(" * 200, "q" + "*q" * 3000, "sin(" * 50 + "q" + ")" * 50, "__import__('os')", "-", "\\", '"', "%s%n"),
    *("2^2^2^2^2^2^2", "1e308*1e308", "if(t, 1)", "t.t", "log(0)"),
)


def mutated_text(rng: Generator, text: str) -> str:
    """The text with one change, sometimes two or three."""
    for _ in range(int(rng.choice([1, 1, 1, 2, 3]))):
        change = TEXT_CHANGES[int(rng.integers(len(TEXT_CHANGES)))]
        text = change(rng, text)
    return text


def mutated_bytes(rng: Generator, data: bytes) -> bytes:
    """The bytes with one change."""
    change = BYTE_CHANGES[int(rng.integers(len(BYTE_CHANGES)))]
    return change(rng, data)


def one_of(rng: Generator, items: object) -> str:
    choices = list(items)  # type: ignore[call-overload]
    return choices[int(rng.integers(len(choices)))]


def replaced(rng: Generator, text: str, pattern: re.Pattern[str], new: str) -> str:
    """One match of a pattern exchanged."""
    found = list(pattern.finditer(text))
    if not found:
        return text + new
    match = found[int(rng.integers(len(found)))]
    return text[: match.start()] + new + text[match.end() :]


def odd_number(rng: Generator, text: str) -> str:
    return replaced(rng, text, NUMBER, one_of(rng, ODD_NUMBERS))


def other_number(rng: Generator, text: str) -> str:
    found = NUMBER.findall(text)
    return replaced(rng, text, NUMBER, one_of(rng, found) if found else "1")


def odd_word(rng: Generator, text: str) -> str:
    return replaced(rng, text, WORD, one_of(rng, ODD_TEXTS))


def other_word(rng: Generator, text: str) -> str:
    found = WORD.findall(text)
    return replaced(rng, text, WORD, one_of(rng, found) if found else "word")


def odd_string(rng: Generator, text: str) -> str:
    return replaced(rng, text, re.compile(r'"[^"\n]*"'), f'"{one_of(rng, ODD_TEXTS)}"')


def line_gone(rng: Generator, text: str) -> str:
    lines = text.splitlines(keepends=True)
    if lines:
        del lines[int(rng.integers(len(lines)))]
    return "".join(lines)


def line_twice(rng: Generator, text: str) -> str:
    lines = text.splitlines(keepends=True) or [""]
    k = int(rng.integers(len(lines)))
    lines.insert(int(rng.integers(len(lines) + 1)), lines[k])
    return "".join(lines)


def lines_swapped(rng: Generator, text: str) -> str:
    lines = text.splitlines(keepends=True) or [""]
    i, k = (int(x) for x in rng.integers(len(lines), size=2))
    lines[i], lines[k] = lines[k], lines[i]
    return "".join(lines)


def sign_changed(rng: Generator, text: str) -> str:
    k = int(rng.integers(len(text) + 1))
    return text[:k] + one_of(rng, "[]{}()<>=,.\"'\n\t\0-+*/^ é#$") + text[k + int(rng.integers(0, 2)) :]


def deeply_nested(rng: Generator, text: str) -> str:
    depth = int(rng.choice([50, 500, 5000, 50000]))
    k = int(rng.integers(len(text) + 1))
    opened = one_of(rng, ("[", "{a=", "(", "<a>", "[["))
    return text[:k] + opened * depth + text[k:]


def cut_short(rng: Generator, text: str) -> str:
    return text[: int(rng.integers(len(text) + 1))]


TEXT_CHANGES = (
    *(odd_number, odd_number, odd_number, other_number, odd_word, other_word, other_word, odd_string, odd_string),
    *(line_gone, line_twice, lines_swapped, sign_changed, deeply_nested, cut_short),
)


def truncated(rng: Generator, data: bytes) -> bytes:
    return data[: int(rng.integers(len(data) + 1))]


def garbled(rng: Generator, data: bytes) -> bytes:
    out = bytearray(data or b"\0")
    for _ in range(int(rng.choice([1, 1, 2, 8, 64]))):
        out[int(rng.integers(len(out)))] = int(rng.integers(256))
    return bytes(out)


def zeroed(rng: Generator, data: bytes) -> bytes:
    k = int(rng.integers(len(data) + 1))
    return data[:k] + bytes(min(512, len(data) - k)) + data[k + 512 :]


def doubled(rng: Generator, data: bytes) -> bytes:
    return data + data[: int(rng.integers(len(data) + 1))]


BYTE_CHANGES = (truncated, garbled, garbled, garbled, zeroed, doubled)
ENCODINGS = ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "cp1252")


def encoded(rng: Generator, text: str) -> bytes:
    """The text in some encoding, mostly the right one."""
    return text.encode(one_of(rng, ENCODINGS) if rng.random() < 0.15 else "utf-8", errors="replace")
