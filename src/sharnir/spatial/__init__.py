"""3-D and 6-D algebra on tuples of numbers: kept in registers by LLVM, and readable."""
