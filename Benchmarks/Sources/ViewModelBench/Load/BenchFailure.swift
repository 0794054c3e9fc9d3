/// The error that ends a measurement.
///
/// The values measured so far are discarded.
struct BenchFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
