/// Outputs in an order, linked by themselves: nothing is allocated, and no output is in two queues at a time.
///
/// Isolation: confined to its session.
package struct OutputQueue {
    private var first: AnyOutput?
    private unowned(unsafe) var last: AnyOutput?

    package var isEmpty: Bool { first == nil }

    mutating func append(_ output: AnyOutput) {
        if let last { last.next = output } else { first = output }
        last = output
    }

    /// Takes the output that came first.
    package mutating func popFirst() -> AnyOutput? {
        guard let output = first.take() else { return nil }
        first = output.next.take()
        if first == nil { last = nil }
        return output
    }
}
