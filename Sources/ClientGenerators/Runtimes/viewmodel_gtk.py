# The adapter for gtk.
