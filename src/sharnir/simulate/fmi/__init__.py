"""FMUs with compiled C inside, which run where there is no Python."""
