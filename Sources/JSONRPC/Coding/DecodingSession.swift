/// One decoding: the text, and a stack of the values that are being decoded.
///
/// Decoders and containers are small handles into it: a frame's index. A frame lives as long as the `init(from:)` that
/// it was made for; the session checks indices, so that a handle that somebody kept cannot reach dead memory.
///
/// Its variables are exempt from dynamic exclusivity checks, which were a third of the time: no access to one spans a
/// call of code that is not this module's own.
final class DecodingSession {
    /// The whole text; borrowed, and not touched once ``isOver``.
    let bytes: Bytes
    /// Names of top-level members that are not looked at.
    let ignored: Set<String>
    /// What every path begins with.
    let prefix: String
    /// Whether the text may be gone.
    @exclusivity(unchecked) var isOver = false

    /// The values that are being decoded, the innermost last.
    @exclusivity(unchecked) var frames: [DecodingFrame] = []
    /// The members of the objects among them.
    @exclusivity(unchecked) var members: [DecodingMember] = []

    init(_ bytes: Bytes, ignored: Set<String>, prefix: String) {
        self.bytes = bytes
        self.ignored = ignored
        self.prefix = prefix
        // Enough for most, so that neither grows step by step.
        frames.reserveCapacity(4)
        members.reserveCapacity(8)
    }

    /// Throws when a handle is used after its time.
    @inline(__always)
    func check(_ frame: Int) throws {
        guard !isOver, frame < frames.count else { throw outlived }
    }

    private var outlived: DecodingError {
        .dataCorrupted(.init(codingPath: [], debugDescription: "a decoder was used after its time"))
    }

    /// Decodes a value of any type.
    func decode<T: Decodable>(_ type: T.Type, at value: Range<Int>, place: DecodingPlace) throws -> T {
        if let scalar = try scalar(type, at: value, place: place) { return scalar }
        let mark = frames.count
        let memberMark = members.count
        frames.append(DecodingFrame(value: value, place: place, isTop: isTop(place)))
        defer {
            frames.removeSubrange(mark...)
            members.removeSubrange(memberMark...)
        }
        do {
            let result = try T(from: FrameDecoder(session: self, frame: mark))
            try checkUnasked(from: mark)
            return result
        } catch {
            throw explained(error, of: type, in: mark)
        }
    }

    private func isTop(_ place: DecodingPlace) -> Bool {
        switch place.step {
        case .none: place.parent < 0 || frames[place.parent].isTop
        case .member, .index: false
        }
    }

    /// Refuses members that nobody asked for.
    private func checkUnasked(from mark: Int) throws {
        for index in mark..<frames.count {
            if !frames[index].isTouched { try touchNothing(index) }
            guard frames[index].unasked > 0, let range = frames[index].members else { continue }
            for member in range where !members[member].isAsked {
                throw unasked(member, in: index)
            }
        }
    }

    /// A type that does not look at its value takes an object without members, as one that has no properties.
    private func touchNothing(_ frame: Int) throws {
        try openObject(frame)
    }

    private func unasked(_ member: Int, in frame: Int) -> any Error {
        let asked = (frames[frame].members ?? 0..<0).filter { members[$0].isAsked }.map(memberName)
        let names = (asked + frames[frame].missing).joined(separator: ", ")
        let place = DecodingPlace(parent: frame, step: .member(member))
        return error(
            place,
            names.isEmpty ? "no such member" : "no such member; one of \(names)",
            found: ValueMismatch.describe(bytes.part(members[member].value))
        )
    }
}
