"""Numbers of the reference problems with constraints; each says in loop_digits.json where it is from."""

from __future__ import annotations

import json
from pathlib import Path

LOOP_DIGITS = json.loads(Path(__file__).with_name("loop_digits.json").read_text())
