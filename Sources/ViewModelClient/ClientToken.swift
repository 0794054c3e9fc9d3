import Synchronization

/// The numbers that identify bindings, readers, fields and waiting calls, unique in the process.
enum ClientToken {
    private static let last = Atomic<Int>(0)

    static func next() -> Int {
        last.wrappingAdd(1, ordering: .relaxed).newValue
    }
}
