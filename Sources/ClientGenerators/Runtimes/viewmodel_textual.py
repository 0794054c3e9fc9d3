# The adapter for textual.
