"""Force elements: kernel and record side by side; energy."""
