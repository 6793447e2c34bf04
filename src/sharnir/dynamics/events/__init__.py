"""What events do, compiled; impacts."""
