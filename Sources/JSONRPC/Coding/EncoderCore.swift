internal import FoundationEssentials

/// The state of one encoding: the text so far, and a stack of the values that are being encoded.
///
/// Encoders and containers refer to a level of the stack by its index. The text of a value goes directly to the end of
/// the writer. A nested container or a super encoder gets a separate part, because a type may fill them in any order.
/// The parts are inserted after the type's `encode(to:)` has ended.
///
/// The variables are exempt from dynamic exclusivity checks for the reason given at ``DecoderCore``.
final class EncoderCore {
    /// The text of the current part.
    @exclusivity(unchecked) var writer: JSONWriter
    /// The index of the current part.
    @exclusivity(unchecked) private var currentPart = 0
    /// All parts and their insertions.
    ///
    /// The first part is the text itself.
    @exclusivity(unchecked) var parts: [EncodingPart] = [EncodingPart()]
    /// The values that are being encoded, with the innermost last.
    @exclusivity(unchecked) var levels: [EncodingLevel] = []

    init(_ writer: JSONWriter) {
        self.writer = writer
    }

    /// Makes a part the current one, whose text is in ``writer``.
    @inline(__always)
    func select(_ part: Int) {
        if part != currentPart { swap(to: part) }
    }

    @inline(never)
    private func swap(to part: Int) {
        parts[currentPart].bytes = writer.bytes
        writer.bytes = []
        Swift.swap(&writer.bytes, &parts[part].bytes)
        currentPart = part
    }

    /// Removes the text after an offset of the first part.
    func abandon(from start: Int) {
        select(0)
        writer.bytes.removeSubrange(start...)
    }

    /// Appends the next value of a container.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The value's key in the container.
    ///   - level: The level of the container.
    ///   - begin: Writes the text before the value; returns the part that receives the value.
    /// - Throws: `EncodingError`, and any error of the type's `encode(to:)`.
    @inline(__always)
    func encode<T: Encodable>(
        _ value: T,
        key: @autoclosure () -> (any CodingKey)?,
        in level: Int,
        _ begin: () throws -> Int
    ) throws {
        if JSONWriter.isPlain(T.self) {
            _ = try begin()
            writer.plain(value)
        } else {
            try attempt(in: level) {
                let part = try begin()
                try encode(value, key: key(), parent: level, part: part)
            }
        }
    }

    /// Appends a value that is not plain to a part.
    func encode<T: Encodable>(_ value: T, key: (any CodingKey)?, parent: Int, part: Int) throws {
        if try scalar(value, key: key, parent: parent, part: part) { return }
        let mark = levels.count
        let partMark = parts.count
        levels.append(EncodingLevel(part: part, parent: parent, key: key))
        defer { levels.removeSubrange(mark...) }
        try value.encode(to: LevelEncoder(core: self, level: mark))
        for level in mark..<levels.count { close(level) }
        if parts.count > partMark { assemble(part, from: partMark) }
        select(part)
    }

    /// Appends a value that needs no `encode(to:)` and may have no JSON; for any other value returns false.
    private func scalar<T>(_ value: T, key: (any CodingKey)?, parent: Int, part: Int) throws -> Bool {
        select(part)
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
        return keys.reversed()
    }
}

extension EncoderCore {
    /// Runs a closure that writes a value of a level.
    ///
    /// If it throws, removes all that it has written.
    ///
    /// A type that swallows the error therefore leaves valid text.
    @inline(__always)
    func attempt(in level: Int, _ body: () throws -> Void) throws {
        guard level < levels.count else { throw misuse }
        let part = levels[level].part
        select(part)
        let offset = writer.bytes.count
        let content = levels[level].content
        let insertions = parts[part].insertions.count
        let mark = parts.count
        do {
            try body()
        } catch {
            select(part)
            writer.bytes.removeSubrange(offset...)
            levels[level].content = content
            parts[part].insertions.removeSubrange(insertions...)
            parts.removeSubrange(mark...)
            throw error
        }
    }

    /// The error for a second value in one position, or for an encoder that has outlived its level.
    var misuse: EncodingError {
        .invalidValue(
            (),
            .init(codingPath: [], debugDescription: "a value was encoded twice, or after its encoder's time")
        )
    }
}
