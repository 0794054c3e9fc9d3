/// An intrusive queue of outputs.
///
/// It allocates nothing, and an output is in at most one queue at a time.
///
/// Isolation: confined to its session.
package struct OutputQueue {
    private var first: AnyOutput?
    /// The last output.
    ///
    /// It is unretained, because the output before it holds it.
    private var last: Unmanaged<AnyOutput>?

    package var isEmpty: Bool { first == nil }

    mutating func append(_ output: consuming AnyOutput) {
        let reference = Unmanaged.passUnretained(output)
        if let last { last._withUnsafeGuaranteedRef { $0.next = output } } else { first = output }
        last = reference
    }

    /// Removes and returns the first output.
    package mutating func popFirst() -> AnyOutput? {
        guard let output = first.take() else { return nil }
        first = output.next.take()
        if first == nil { last = nil }
        return output
    }
}
