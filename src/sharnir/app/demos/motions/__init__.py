"""Motions worth watching: pendulums, tops, a cable, dominoes, sport."""
