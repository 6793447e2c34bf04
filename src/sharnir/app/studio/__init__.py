"""The studio: a page in the browser in which mechanisms are built, run and watched, and the server behind it."""
