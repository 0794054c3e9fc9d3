/// A list of changes to a JSON value (RFC 6902).
public struct JSONPatch: Equatable, Sendable {
    /// The operations, in the order in which they are applied.
    public var operations: [Operation]

    /// Creates a patch.
    public init(_ operations: [Operation] = []) {
        self.operations = operations
    }

    /// One change.
    public enum Operation: Equatable, Sendable {
        /// Sets an object's member or inserts into an array; the last token `-` appends.
        case add(path: JSONPointer, value: JSONValue)
        /// Removes a value that is there.
        case remove(path: JSONPointer)
        /// Replaces a value that is there.
        case replace(path: JSONPointer, value: JSONValue)
        /// Removes a value and adds it elsewhere.
        case move(from: JSONPointer, path: JSONPointer)
        /// Adds a value that is there elsewhere, too.
        case copy(from: JSONPointer, path: JSONPointer)
        /// Fails unless the value there is equal to this one; numbers compare by value.
        case test(path: JSONPointer, value: JSONValue)
    }

    /// Why a patch could not be applied.
    public struct Failure: Error, Equatable, CustomStringConvertible {
        /// The index of the operation that failed.
        public var operation: Int
        /// The place it failed at.
        public var path: JSONPointer
        /// What was wrong.
        public var reason: String

        /// The failure in one line.
        public var description: String { "Operation \(operation) at \"\(path)\": \(reason)" }
    }

    /// The pointers of all operations, sources included, in order.
    public var paths: [JSONPointer] {
        operations.flatMap { operation in
            switch operation {
            case .add(let path, _), .remove(let path), .replace(let path, _), .test(let path, _): [path]
            case .move(let from, let path), .copy(let from, let path): [from, path]
            }
        }
    }

    /// Applies all operations, or none of them.
    ///
    /// - Throws: ``Failure`` for the first operation that cannot be applied; the document is what it was then.
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
