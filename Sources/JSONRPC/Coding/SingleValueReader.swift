/// The decoding container for a level's own value.
struct SingleValueReader: SingleValueDecodingContainer {
    let core: DecoderCore
    let level: Int

    var codingPath: [any CodingKey] {
        LevelDecoder(core: core, level: level).codingPath
    }

    private var value: Range<Int> {
        get throws {
            try core.check(level)
            return core.levels[level].value
        }
    }

    /// The level's own position: an error of a scalar is an error of the level.
    private var position: DecodingPosition {
        DecodingPosition(parent: level, step: .none)
    }

    func decodeNil() -> Bool {
        guard let value = try? value else { return false }
        return core.isNull(value)
    }

    @inline(__always)
    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let result = try core.decode(type, at: try value, position: position)
        // The nested decoding has rejected unknown members already.
        core.levels[level].undecoded = 0
        return result
    }
}
