internal import FoundationEssentials

/// The state of one encoding: the text so far, and a stack of the values that are being encoded.
///
/// Encoders and containers refer to a level of the stack by its index. The text of a value goes directly to the end of
/// the writer. A nested container or a super encoder has a core of its own, because a type may fill them in any order.
/// Its text is inserted after the type's `encode(to:)` has ended.
///
/// The variables are exempt from dynamic exclusivity checks for the reason given at ``DecoderCore``.
final class EncoderCore {
    @exclusivity(unchecked) var writer: JSONWriter
    /// The values that are being encoded, with the innermost last.
    @exclusivity(unchecked) var levels: [EncodingLevel] = []
    /// The cores of nested encoders, and the offsets at which their texts are inserted, in order.
    @exclusivity(unchecked) var insertions: [(offset: Int, core: EncoderCore)] = []
    /// The coding path to the first level.
    private let path: [any CodingKey]

    init(_ writer: JSONWriter, path: [any CodingKey] = []) {
        self.writer = writer
        self.path = path
    }

    /// Appends the next value of a container, after the text that `begin` writes.
    @inline(__always)
    func encode<T: Encodable>(
        _ value: T,
        key: @autoclosure () -> (any CodingKey)?,
        in level: Int,
        _ begin: () throws -> Void
    ) throws {
        guard level < levels.count else { throw misuse }
        let (offset, content, mark) = (writer.bytes.count, levels[level].content, insertions.count)
        try begin()
        if writer.plain(value) { return }
        do {
            try encode(value, key: key(), parent: level)
        } catch {
            // What was written is removed, so that a type that swallows the error leaves valid text.
            writer.bytes.removeSubrange(offset...)
            levels[level].content = content
            insertions.removeSubrange(mark...)
            throw error
        }
    }

    /// Appends a value that is not plain.
    func encode<T: Encodable>(_ value: T, key: (any CodingKey)?, parent: Int) throws {
        if try scalar(value, key: key, parent: parent) { return }
        let mark = levels.count
        let insertionMark = insertions.count
        levels.append(EncodingLevel(parent: parent, key: key))
        defer { levels.removeSubrange(mark...) }
        try value.encode(to: LevelEncoder(core: self, level: mark))
        close(mark)
        if insertions.count > insertionMark { assemble(from: insertionMark) }
    }

    /// Appends a value that needs no `encode(to:)` and may have no JSON; for any other value returns false.
    private func scalar<T>(_ value: T, key: (any CodingKey)?, parent: Int) throws -> Bool {
        if T.self == Double.self {
            writer.double(try finite(unsafeBitCast(value, to: Double.self), key, parent))
        } else if T.self == Date.self {
            writer.string(try timestamp(unsafeBitCast(value, to: Date.self), key, parent))
        } else if T.self == Float.self {
            writer.float(try finite(unsafeBitCast(value, to: Float.self), key, parent))
        } else if T.self == Data.self, let data = value as? Data {
            writer.string(data.base64EncodedString())
        } else if T.self == Decimal.self, let decimal = value as? Decimal {
            writer.string(decimal.description)
        } else if T.self == URL.self, let url = value as? URL {
            writer.string(url.absoluteString)
        } else {
            return false
        }
        return true
    }

    private func finite<T: FloatingPoint>(_ value: T, _ key: (any CodingKey)?, _ parent: Int) throws -> T {
        guard value.isFinite else { throw unwritable(value, "JSON has no \(value)", key, parent) }
        return value
    }

    private func timestamp(_ value: Date, _ key: (any CodingKey)?, _ parent: Int) throws -> String {
        guard let text = Timestamp.format(value.timeIntervalSince1970) else {
            throw unwritable(value, "RFC 3339 has only the years 0 to 9999", key, parent)
        }
        return text
    }

    private func unwritable(_ value: Any, _ reason: String, _ key: (any CodingKey)?, _ parent: Int) -> EncodingError {
        let path = codingPath(to: parent) + (key.map { [$0] } ?? [])
        return .invalidValue(value, .init(codingPath: path, debugDescription: reason))
    }

    func codingPath(to level: Int) -> [any CodingKey] {
        var keys: [any CodingKey] = []
        var index = level
        while index >= 0, index < levels.count {
            if let key = levels[index].key { keys.append(key) }
            index = levels[index].parent
        }
        return path + keys.reversed()
    }

    /// The error for a second value in one position, or for an encoder that has outlived its level.
    var misuse: EncodingError {
        .invalidValue(
            (),
            .init(codingPath: [], debugDescription: "a value was encoded twice, or after its encoder's time")
        )
    }
}
