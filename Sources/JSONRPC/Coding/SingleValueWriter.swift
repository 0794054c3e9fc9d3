/// The encoding container for a level's own value.
struct SingleValueWriter: SingleValueEncodingContainer {
    let core: EncoderCore
    let level: Int

    var codingPath: [any CodingKey] { core.codingPath(to: level) }

    func encodeNil() throws {
        try core.single(in: level)
        core.writer.null()
    }

    @inline(__always)
    func encode<T: Encodable>(_ value: T) throws {
        try core.encode(value, key: nil, in: level) { try core.single(in: level) }
    }
}
