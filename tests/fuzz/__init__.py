"""Random inputs with seeds: what the package is given by mistake or in bad faith. A few hundred cases run in the suite.

python -m tests.fuzz.files --count 1000         mutated model files, robots, FE files, results
python -m tests.fuzz.arguments --count 28600    bad arguments of everything that is public
"""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).parent.parent
for folder in (TESTS, TESTS.parent / "src"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
