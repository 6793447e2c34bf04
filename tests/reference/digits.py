"""Published and recomputed numbers of the reference problems; each says in digits.json where it is from."""

from __future__ import annotations

import json
from pathlib import Path

DIGITS = json.loads(Path(__file__).with_name("digits.json").read_text())
