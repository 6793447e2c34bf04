"""Actions of events, compiled; impacts."""
