extension DecoderCore {
    /// The largest number of members that a linear search finds.
    ///
    /// A larger object gets a table.
    private static let smallObject = 16

    /// Reads the members of a level's object, on the first call only.
    func openObject(_ level: Int) throws {
        try check(level)
        levels[level].isOpened = true
        guard levels[level].members == nil else { return }
        let value = levels[level].value
        guard bytes[value.lowerBound] == ASCII.openBrace else {
            throw typeMismatch(levels[level].position, Expectation.object, at: value)
        }
        let start = members.count
        levels[level].members = start..<start
        var text = JSONScanner(bytes, from: value.lowerBound)
        if text.enter() {
            repeat {
                let (name, hasEscapes) = text.name()
                let member = DecodingMember(name: name, value: text.skipValue(), hasEscapes: hasEscapes)
                add(member, to: level, from: start)
            } while text.next()
        }
        levels[level].members = start..<members.count
        levels[level].undecoded = members.count - start
        levels[level].hint = start
    }

    private func add(_ member: DecodingMember, to level: Int, from start: Int) {
        if levels[level].isTop, !ignored.isEmpty, ignored.contains(where: { isNamed(member, $0) }) { return }
        let count = members.count - start
        if levels[level].table == nil, count <= Self.smallObject {
            let twin = (start..<members.count).first { haveSameName(members[$0], member) }
            if let twin { members[twin] = member } else { members.append(member) }
            return
        }
        var table = levels[level].table.take() ?? [:]
        if table.isEmpty {
            for index in start..<members.count { table[ExactString(memberName(index))] = index }
        }
        let name = ExactString(name(of: member))
        if let twin = table[name] {
            members[twin] = member
        } else {
            table[name] = members.count
            members.append(member)
        }
        levels[level].table = table
    }

    /// Finds a member by name and marks it as decoded by its type.
    func member(_ name: String, in level: Int) throws -> Int? {
        try check(level)
        guard let range = levels[level].members else { return nil }
        let hint = levels[level].hint
        if range.contains(hint), isNamed(members[hint], name) {
            return markDecoded(hint, in: level)
        }
        let found: Int?
        if let table = levels[level].table {
            found = table[ExactString(name)]
        } else {
            found = range.first { isNamed(members[$0], name) }
        }
        if let found { return markDecoded(found, in: level) }
        if levels[level].undecoded > 0 { levels[level].missing.append(name) }
        return nil
    }

    @inline(__always)
    @discardableResult
    func markDecoded(_ member: Int, in level: Int) -> Int {
        if !members[member].isDecoded {
            members[member].isDecoded = true
            levels[level].undecoded &-= 1
        }
        levels[level].hint = member &+ 1
        return member
    }

    func memberName(_ member: Int) -> String {
        name(of: members[member])
    }

    private func name(of member: DecodingMember) -> String {
        JSONText.string(bytes.part(member.name), hasEscapes: member.hasEscapes)
    }

    @inline(__always)
    private func isNamed(_ member: DecodingMember, _ name: String) -> Bool {
        JSONText.MemberName(text: bytes.part(member.name), hasEscapes: member.hasEscapes) == name
    }

    private func haveSameName(_ left: DecodingMember, _ right: DecodingMember) -> Bool {
        if left.hasEscapes || right.hasEscapes {
            return ExactString(name(of: left)) == ExactString(name(of: right))
        }
        return left.name.count == right.name.count
            && zip(left.name, right.name).allSatisfy { bytes[$0] == bytes[$1] }
    }
}
