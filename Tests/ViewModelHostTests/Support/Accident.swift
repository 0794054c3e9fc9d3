/// An error that nobody expects.
struct Accident: Error {}
