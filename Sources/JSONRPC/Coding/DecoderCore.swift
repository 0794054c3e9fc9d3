/// The state of one decoding: the text, and a stack of the values that are being decoded.
///
/// Decoders and containers refer to a level of the stack by its index. A level lives as long as the `init(from:)` that
/// it was made for. The core checks each index, so that a decoder that outlives its level cannot read freed memory.
///
/// The variables are exempt from dynamic exclusivity checks, which took a third of the time. This is safe because no
/// access to a variable spans a call into code outside this module.
final class DecoderCore {
    /// The whole text, borrowed.
    ///
    /// It is not read after ``isOver`` is set.
    let bytes: Bytes
    /// The names of top-level members that the decoding ignores.
    let ignored: Set<String>
    /// The beginning of every path.
    let prefix: String
    /// Whether members that a type does not decode are ignored.
    let isLenient: Bool
    /// Whether the decoding has ended and the text may have been freed.
    @exclusivity(unchecked) var isOver = false

    /// The values that are being decoded, with the innermost last.
    @exclusivity(unchecked) var levels: [DecodingLevel] = []
    /// The members of the objects in ``levels``.
    @exclusivity(unchecked) var members: [DecodingMember] = []

    init(_ bytes: Bytes, ignored: Set<String>, prefix: String, isLenient: Bool = false) {
        self.isLenient = isLenient
        self.bytes = bytes
        self.ignored = ignored
        self.prefix = prefix
        // Most messages fit, so that neither array grows.
        levels.reserveCapacity(4)
        members.reserveCapacity(8)
    }

    /// Throws if a decoder or container has outlived its level.
    @inline(__always)
    func check(_ level: Int) throws {
        guard !isOver, level < levels.count else { throw useAfterEnd }
    }

    private var useAfterEnd: DecodingError {
        .dataCorrupted(.init(codingPath: [], debugDescription: "a decoder was used after its time"))
    }

    func decode<T: Decodable>(_ type: T.Type, at value: Range<Int>, position: DecodingPosition) throws -> T {
        if let scalar = try scalar(type, at: value, position: position) { return scalar }
        let mark = levels.count
        let memberMark = members.count
        levels.append(DecodingLevel(value: value, position: position, isTop: isTop(position)))
        defer {
            levels.removeSubrange(mark...)
            members.removeSubrange(memberMark...)
        }
        do {
            let result = try T(from: LevelDecoder(core: self, level: mark))
            try checkAllDecoded(from: mark)
            try checkForm(of: result, at: value, position)
            try checkNames(of: result, in: mark)
            return result
        } catch {
            throw explained(error, of: type, in: mark)
        }
    }

    /// Throws for a text that equals the raw value only by canonical equivalence, with which Swift compares it.
    private func checkForm<T>(of result: T, at value: Range<Int>, _ position: DecodingPosition) throws {
        let text = bytes.part(value)
        guard text.first == ASCII.quote, text.contains(where: { $0 >= 0x80 || $0 == ASCII.backslash }),
            let raw = (result as? any RawRepresentable)?.rawValue as? String
        else { return }
        let given = JSONText.string(text.part(1..<text.count - 1))
        guard raw == given, !raw.isExactly(given) else { return }
        throw typeMismatch(position, Expectation.form(T.self) ?? Expectation.another, at: value)
    }

    /// Throws for names that differ only in their form, of which a dictionary has lost one.
    private func checkNames<T>(of result: T, in level: Int) throws {
        guard let names = levels[level].members, names.count > 1,
            names.contains(where: { members[$0].hasEscapes || bytes.part(members[$0].name).contains { $0 >= 0x80 } }),
            let dictionary = result as? any JSONObjectRepresentable, dictionary.count < names.count
        else { return }
        let expected = "an object whose names differ in more than the form of their characters"
        throw typeMismatch(levels[level].position, expected, at: levels[level].value)
    }

    private func isTop(_ position: DecodingPosition) -> Bool {
        switch position.step {
        case .none: position.parent < 0 || levels[position.parent].isTop
        case .member, .index: false
        }
    }

    /// Throws for the first member that its type has not decoded.
    private func checkAllDecoded(from mark: Int) throws {
        if isLenient { return }
        for index in mark..<levels.count {
            // A type that decodes nothing accepts only an object without members.
            if !levels[index].isOpened { try openObject(index) }
            guard levels[index].undecoded > 0, let range = levels[index].members else { continue }
            for member in range where !members[member].isDecoded {
                throw undecoded(member, in: index)
            }
        }
    }
}
