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

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let result = try core.decode(type, at: try value, position: position)
        // The nested decoding has rejected unknown members already.
        core.levels[level].undecoded = 0
        return result
    }

    func decode(_ type: Bool.Type) throws -> Bool { try core.bool(at: try value, position) }
    func decode(_ type: String.Type) throws -> String { try core.string(at: try value, position) }
    func decode(_ type: Double.Type) throws -> Double { try core.double(at: try value, position) }
    func decode(_ type: Float.Type) throws -> Float { try core.float(at: try value, position) }
    func decode(_ type: Int.Type) throws -> Int { try core.integer(type, at: try value, position) }
    func decode(_ type: Int8.Type) throws -> Int8 { try core.integer(type, at: try value, position) }
    func decode(_ type: Int16.Type) throws -> Int16 { try core.integer(type, at: try value, position) }
    func decode(_ type: Int32.Type) throws -> Int32 { try core.integer(type, at: try value, position) }
    func decode(_ type: Int64.Type) throws -> Int64 { try core.integer(type, at: try value, position) }
    func decode(_ type: UInt.Type) throws -> UInt { try core.integer(type, at: try value, position) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try core.integer(type, at: try value, position) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try core.integer(type, at: try value, position) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try core.integer(type, at: try value, position) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try core.integer(type, at: try value, position) }
}
