/// The ranges of a list's rows that clients have bound.
///
/// Isolation: confined to its session.
package final class BoundWindows {
    /// The range of a client without a window.
    package static let wholeList = 0..<Int.max
    /// A client and the tag of its binding.
    package struct Holder: Equatable {
        let client: ObjectIdentifier
        let tag: String?

        package init(client: ObjectIdentifier, tag: String?) {
            (self.client, self.tag) = (client, tag)
        }
    }
    /// A binding and the output in which it shows the list.
    struct Key: Equatable {
        let holder: Holder
        let output: ObjectIdentifier
    }

    private var windows: [(key: Key, range: Range<Int>)] = []
    /// The ranges as signals of the graph read them; nil before the first read.
    private var cell: Cell<[Range<Int>]>?

    /// Whether a client has bound the list, or code has read the ranges.
    var isNeeded: Bool { cell != nil || !windows.isEmpty }

    /// Returns the ranges, on which the ``Derived`` that is being computed then depends.
    func value(on graph: Graph) -> [Range<Int>] {
        if let cell { return cell.value }
        let new = graph.wiring { Cell(windows.map(\.range)) }
        cell = new
        return new.value
    }

    /// Sets or removes a range, as a part of the running step.
    func set(_ range: Range<Int>?, for key: Key) {
        let index = windows.firstIndex { $0.key == key }
        switch (index, range) {
        case (let index?, let range?): windows[index].range = range
        case (let index?, nil): windows.remove(at: index)
        case (nil, let range?): windows.append((key, range))
        case (nil, nil): return
        }
        cell?.value = windows.map(\.range)
    }
}
