/// Outputs in an order, linked by themselves: nothing is allocated, and no output is in two queues at a time.
///
/// Isolation: confined to its session.
package struct OutputQueue {
    private var first: AnyOutput?
    /// Held by the one before it.
    private var last: Unmanaged<AnyOutput>?

    package var isEmpty: Bool { first == nil }

    mutating func append(_ output: consuming AnyOutput) {
        let reference = Unmanaged.passUnretained(output)
        if let last { last._withUnsafeGuaranteedRef { $0.next = output } } else { first = output }
        last = reference
    }

    /// Takes the output that came first.
    package mutating func popFirst() -> AnyOutput? {
        guard let output = first.take() else { return nil }
        first = output.next.take()
        if first == nil { last = nil }
        return output
    }
}
