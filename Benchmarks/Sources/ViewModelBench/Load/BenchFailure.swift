/// Something that a measurement ran into; what was measured until then counts for nothing.
struct BenchFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
