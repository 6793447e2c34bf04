"""From motions to forces: reactions, drives, the mixed problem."""
