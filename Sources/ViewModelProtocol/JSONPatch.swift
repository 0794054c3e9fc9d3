/// A list of changes to a JSON value (RFC 6902).
public struct JSONPatch: Equatable, Sendable {
    /// The operations, in the order of their application.
    public var operations: [Operation]

    /// Creates a patch.
    public init(_ operations: [Operation] = []) {
        self.operations = operations
    }

    /// One operation of a patch.
    public enum Operation: Equatable, Sendable {
        /// Sets a member of an object or inserts into an array.
        ///
        /// The last token `-` appends.
        case add(path: JSONPointer, value: JSONValue)
        /// Removes an existing value.
        case remove(path: JSONPointer)
        /// Replaces an existing value.
        case replace(path: JSONPointer, value: JSONValue)
        /// Removes a value and adds it at another position.
        case move(from: JSONPointer, path: JSONPointer)
        /// Adds a copy of an existing value at another position.
        case copy(from: JSONPointer, path: JSONPointer)
        /// Fails unless the existing value equals this one.
        ///
        /// Numbers compare by value.
        case test(path: JSONPointer, value: JSONValue)
    }

    /// The reason why a patch cannot be applied.
    public struct Failure: Error, Equatable, CustomStringConvertible {
        /// The index of the operation that failed.
        public var operation: Int
        /// The position at which it failed.
        public var path: JSONPointer
        /// The cause, in words.
        public var reason: String

        /// The failure in one line.
        public var description: String { "Operation \(operation) at \"\(path)\": \(reason)" }
    }

    /// The pointers of all operations in order, including the sources of `move` and `copy`.
    package var paths: [JSONPointer] {
        operations.flatMap { operation in
            switch operation {
            case .add(let path, _), .remove(let path), .replace(let path, _), .test(let path, _): [path]
            case .move(let from, let path), .copy(let from, let path): [from, path]
            }
        }
    }

    /// Applies all operations or none of them.
    ///
    /// - Parameter document: The value to change.
    /// - Throws: ``Failure`` for the first operation that cannot be applied. The document is then unchanged.
    public func apply(to document: inout JSONValue) throws(Failure) {
        var result = document
        for (index, operation) in operations.enumerated() {
            do {
                try operation.apply(to: &result)
            } catch {
                throw Failure(operation: index, path: error.path, reason: error.reason)
            }
        }
        document = result
    }
}
