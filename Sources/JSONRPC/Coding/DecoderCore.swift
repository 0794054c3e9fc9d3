/// One decoding: the text, and a stack of the values that are being decoded.
///
/// Decoders and containers are small handles into it: a level's index. A level lives as long as the `init(from:)` that
/// it was made for; the core checks indices, so that a handle that somebody kept cannot reach dead memory.
///
/// Its variables are exempt from dynamic exclusivity checks, which were a third of the time: no access to one spans a
/// call of code that is not this module's own.
final class DecoderCore {
    /// The whole text; borrowed, and not touched once ``isOver``.
    let bytes: Bytes
    /// Names of top-level members that are not looked at.
    let ignored: Set<String>
    /// What every path begins with.
    let prefix: String
    /// Whether the text may be gone.
    @exclusivity(unchecked) var isOver = false

    /// The values that are being decoded, the innermost last.
    @exclusivity(unchecked) var levels: [DecodingLevel] = []
    /// The members of the objects among them.
    @exclusivity(unchecked) var members: [DecodingMember] = []

    init(_ bytes: Bytes, ignored: Set<String>, prefix: String) {
        self.bytes = bytes
        self.ignored = ignored
        self.prefix = prefix
        // Enough for most, so that neither grows step by step.
        levels.reserveCapacity(4)
        members.reserveCapacity(8)
    }

    /// Throws when a handle is used after its time.
    @inline(__always)
    func check(_ level: Int) throws {
        guard !isOver, level < levels.count else { throw outlived }
    }

    private var outlived: DecodingError {
        .dataCorrupted(.init(codingPath: [], debugDescription: "a decoder was used after its time"))
    }

    /// Decodes a value of any type.
    func decode<T: Decodable>(_ type: T.Type, at value: Range<Int>, place: DecodingPosition) throws -> T {
        if let scalar = try scalar(type, at: value, place: place) { return scalar }
        let mark = levels.count
        let memberMark = members.count
        levels.append(DecodingLevel(value: value, place: place, isTop: isTop(place)))
        defer {
            levels.removeSubrange(mark...)
            members.removeSubrange(memberMark...)
        }
        do {
            let result = try T(from: LevelDecoder(core: self, level: mark))
            try checkUnasked(from: mark)
            return result
        } catch {
            throw explained(error, of: type, in: mark)
        }
    }

    private func isTop(_ place: DecodingPosition) -> Bool {
        switch place.step {
        case .none: place.parent < 0 || levels[place.parent].isTop
        case .member, .index: false
        }
    }

    /// Refuses members that nobody asked for.
    private func checkUnasked(from mark: Int) throws {
        for index in mark..<levels.count {
            if !levels[index].isTouched { try touchNothing(index) }
            guard levels[index].unasked > 0, let range = levels[index].members else { continue }
            for member in range where !members[member].isAsked {
                throw unasked(member, in: index)
            }
        }
    }

    /// A type that does not look at its value takes an object without members, as one that has no properties.
    private func touchNothing(_ level: Int) throws {
        try openObject(level)
    }

    private func unasked(_ member: Int, in level: Int) -> any Error {
        let asked = (levels[level].members ?? 0..<0).filter { members[$0].isAsked }.map(memberName)
        let names = (asked + levels[level].missing).joined(separator: ", ")
        let place = DecodingPosition(parent: level, step: .member(member))
        return error(
            place,
            names.isEmpty ? "no such member" : "no such member; one of \(names)",
            found: ValueMismatch.describe(bytes.part(members[member].value))
        )
    }
}
