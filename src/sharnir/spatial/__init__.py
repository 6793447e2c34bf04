"""3-D and 6-D algebra on tuples of numbers: what LLVM keeps in registers and a person can read."""
