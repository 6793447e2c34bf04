"""Colours of a quantity: equal steps look equally large, from dark violet through blue and green to yellow."""

from __future__ import annotations

# 17 places at equal distances along a curve in the colour space OKLab: lightness grows from 0.34 to 0.91 all the way, the hue
# runs from 300° to 102°, chroma is the most that screens can show, 0.17 at the most
COLORS = (
    "#480c80", "#432393", "#3736a3", "#234aac", "#055caa", "#056ca2", "#077ca1", "#0b8ca1", "#0d9ca1",
    "#0dac9f", "#0fbb98", "#29c88b", "#58d278", "#87d967", "#b0de57", "#d6e24a", "#f8e445",
)  # fmt: skip
