// The adapter for dom.
