/// A frame's value as it is.
struct FrameValue: SingleValueDecodingContainer {
    let session: DecodingSession
    let frame: Int

    var codingPath: [any CodingKey] {
        FrameDecoder(session: session, frame: frame).codingPath
    }

    private var value: Range<Int> {
        get throws {
            try session.check(frame)
            return session.frames[frame].value
        }
    }

    /// Its own place: errors of a scalar are the frame's.
    private var place: DecodingPlace {
        DecodingPlace(parent: frame, step: .none)
    }

    func decodeNil() -> Bool {
        guard let value = try? value else { return false }
        return session.isNull(value)
    }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let result = try session.decode(type, at: try value, place: place)
        // That type was strict about the members; to this one they are no strangers.
        session.frames[frame].unasked = 0
        return result
    }

    func decode(_ type: Bool.Type) throws -> Bool { try session.bool(at: try value, place) }
    func decode(_ type: String.Type) throws -> String { try session.string(at: try value, place) }
    func decode(_ type: Double.Type) throws -> Double { try session.double(at: try value, place) }
    func decode(_ type: Float.Type) throws -> Float { try session.float(at: try value, place) }
    func decode(_ type: Int.Type) throws -> Int { try session.integer(type, at: try value, place) }
    func decode(_ type: Int8.Type) throws -> Int8 { try session.integer(type, at: try value, place) }
    func decode(_ type: Int16.Type) throws -> Int16 { try session.integer(type, at: try value, place) }
    func decode(_ type: Int32.Type) throws -> Int32 { try session.integer(type, at: try value, place) }
    func decode(_ type: Int64.Type) throws -> Int64 { try session.integer(type, at: try value, place) }
    func decode(_ type: UInt.Type) throws -> UInt { try session.integer(type, at: try value, place) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try session.integer(type, at: try value, place) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try session.integer(type, at: try value, place) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try session.integer(type, at: try value, place) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try session.integer(type, at: try value, place) }
}
