// The adapter for react.
