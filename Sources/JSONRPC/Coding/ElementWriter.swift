/// The elements of a frame's array.
struct ElementWriter: UnkeyedEncodingContainer {
    let session: EncodingSession
    let frame: Int

    var codingPath: [any CodingKey] { session.codingPath(to: frame) }

    var count: Int {
        guard frame < session.frames.count, case .array(let count) = session.frames[frame].content else { return 0 }
        return count
    }

    /// The path's last step, of the element that was begun last.
    private var key: PathKey { PathKey(intValue: count - 1) }

    func encodeNil() throws {
        _ = try session.element(in: frame)
        session.writer.null()
    }

    func encode<T: Encodable>(_ value: T) throws {
        try session.attempt(in: frame) {
            let part = try session.element(in: frame)
            try session.encode(value, key: key, parent: frame, part: part)
        }
    }

    func nestedContainer<NestedKey: CodingKey>(keyedBy keyType: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
        nested().container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }

    func superEncoder() -> any Encoder { nested() }

    private func nested() -> FrameEncoder {
        guard let part = try? session.element(in: frame) else { return FrameEncoder(session: session, frame: .max) }
        return FrameEncoder(session: session, frame: session.nested(in: frame, key: key, at: part))
    }
}

extension ElementWriter {
    func encode(_ value: Bool) throws {
        _ = try session.element(in: frame)
        session.writer.bool(value)
    }

    func encode(_ value: String) throws {
        _ = try session.element(in: frame)
        session.writer.string(value)
    }

    func encode(_ value: Double) throws {
        try session.attempt(in: frame) {
            let part = try session.element(in: frame)
            try session.double(value, key: key, parent: frame, part: part)
        }
    }

    func encode(_ value: Float) throws {
        try session.attempt(in: frame) {
            let part = try session.element(in: frame)
            try session.float(value, key: key, parent: frame, part: part)
        }
    }

    func encode(_ value: Int) throws {
        _ = try session.element(in: frame)
        session.writer.integer(value)
    }

    func encode(_ value: Int8) throws {
        _ = try session.element(in: frame)
        session.writer.integer(value)
    }

    func encode(_ value: Int16) throws {
        _ = try session.element(in: frame)
        session.writer.integer(value)
    }

    func encode(_ value: Int32) throws {
        _ = try session.element(in: frame)
        session.writer.integer(value)
    }

    func encode(_ value: Int64) throws {
        _ = try session.element(in: frame)
        session.writer.integer(value)
    }

    func encode(_ value: UInt) throws {
        _ = try session.element(in: frame)
        session.writer.integer(value)
    }

    func encode(_ value: UInt8) throws {
        _ = try session.element(in: frame)
        session.writer.integer(value)
    }

    func encode(_ value: UInt16) throws {
        _ = try session.element(in: frame)
        session.writer.integer(value)
    }

    func encode(_ value: UInt32) throws {
        _ = try session.element(in: frame)
        session.writer.integer(value)
    }

    func encode(_ value: UInt64) throws {
        _ = try session.element(in: frame)
        session.writer.integer(value)
    }
}
