public import ViewModelProtocol

/// The values of a picture, for the generated types that read them.
public struct PictureReader: Sendable {
    private let picture: Picture
    /// The names of the outputs that have changed, or nil if all are to be read.
    private let changed: Set<String>?

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - picture: The picture.
    ///   - changed: The names of the outputs that have changed since the previous values, or nil to read all.
    public init(_ picture: Picture, changed: Set<String>? = nil) {
        self.picture = picture
        self.changed = changed
    }

    /// Reads the value of an output of kind `state`.
    ///
    /// - Parameters:
    ///   - name: The name of the output.
    ///   - previous: The value before, which is returned if the output has not changed.
    /// - Returns: The value.
    /// - Throws: ``ClientError`` with ``ClientError/Code-swift.struct/unexpectedReply`` for a value of another type.
    public func state<Value: Decodable>(_ name: String, _ previous: Value?) throws(ClientError) -> Value {
        if let changed, !changed.contains(name), let previous { return previous }
        return try decode(picture[name] ?? .null, name)
    }

    /// Reads an output of kind `list`, with or without a window, as ``state(_:_:)`` reads one of kind `state`.
    public func list<Row: Decodable>(_ name: String, _ previous: ListRows<Row>?) throws(ClientError) -> ListRows<Row> {
        if let changed, !changed.contains(name), let previous { return previous }
        guard let value = picture[name] else { return ListRows([]) }
        guard let window = value.objectValue else {
            let rows: [Row] = try decode(value, name)
            return ListRows(rows)
        }
        let rows: [Row] = try decode(window["rows"] ?? .null, name)
        return ListRows(rows, offset: window["offset"]?.intValue ?? 0, total: window["count"]?.intValue ?? rows.count)
    }

    /// Reads the outputs that an action has by itself, as ``state(_:_:)`` reads one of kind `state`.
    public func action(_ name: String, _ previous: ActionState?) throws(ClientError) -> ActionState {
        ActionState(
            enabled: try state("\(name).enabled", previous?.enabled),
            executing: try state("\(name).executing", previous?.executing),
            progress: try state("\(name).progress", previous.map(\.progress))
        )
    }

    private func decode<Value: Decodable>(_ value: JSONValue, _ name: String) throws(ClientError) -> Value {
        do {
            return try IncomingLine.decode(Value.self, value.text)
        } catch {
            var error = error
            error.path = "/\(name)\(error.path)"
            throw .unexpectedReply(to: "viewModel.bind of \(picture.id)", error)
        }
    }
}

/// The state of an action: the outputs that each action has by itself (protocol, section 6).
public struct ActionState: Hashable, Sendable {
    /// Whether a call would be accepted now.
    public var enabled: Bool
    /// Whether the action runs.
    public var executing: Bool
    /// The progress of the newest execution, 0 to 1; nil if it is not known.
    public var progress: Double?

    /// Creates a state.
    public init(enabled: Bool, executing: Bool = false, progress: Double? = nil) {
        self.enabled = enabled
        self.executing = executing
        self.progress = progress
    }
}

/// The rows of a list in a picture: all of them, or those in the binding's window.
///
/// It is a collection of the rows that are there. ``total`` counts the rows of the whole list.
public struct ListRows<Row> {
    /// The rows that are there.
    public var rows: [Row]
    /// The index of the first row in the whole list.
    public var offset: Int
    /// The number of rows of the whole list.
    public var total: Int

    /// Creates rows.
    ///
    /// - Parameters:
    ///   - rows: The rows that are there.
    ///   - offset: The index of the first row in the whole list.
    ///   - total: The number of rows of the whole list, or nil if `rows` are all.
    public init(_ rows: [Row], offset: Int = 0, total: Int? = nil) {
        self.rows = rows
        self.offset = offset
        self.total = total ?? rows.count
    }
}

extension ListRows: RandomAccessCollection {
    /// The index of the first row that is there, 0.
    public var startIndex: Int { rows.startIndex }
    /// The number of rows that are there.
    public var endIndex: Int { rows.endIndex }
    /// The row at an index among those that are there.
    public subscript(index: Int) -> Row { rows[index] }
}

extension ListRows: Sendable where Row: Sendable {}
extension ListRows: Equatable where Row: Equatable {}
extension ListRows: Hashable where Row: Hashable {}
