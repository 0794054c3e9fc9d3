# The adapter for qt.
