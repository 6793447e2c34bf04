"""Machines: linkages, an engine, a parallel robot, a shaking table."""
