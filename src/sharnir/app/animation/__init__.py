"""The animation page: poses, deformed bodies and their colours, packed for the browser."""
