/// A hint of a node to the others: where to look, without the content.
///
/// A hint is the text of a notification. Everyone who may connect to the database can read and send it, and it may be lost.
/// What it is about is in tables, so a wrong hint costs a query.
enum NodeHint: Equatable, Sendable {
    /// The boot has changed data of the users; -1 is the daemon itself.
    case changed([Int64], by: String)
    /// A node asks the boot for a session.
    case asked(String)
    /// The owner of a session that a claim of the boot has asked for has answered.
    case answered(String, claim: Int)
    /// Other boots have claimed sessions of the boot.
    case lost(String)

    /// PostgreSQL accepts less than 8,000 bytes.
    private static let limit = 7900

    /// Returns as few hints for users as possible.
    static func changes(_ users: some Sequence<Int64>, by boot: String) -> [NodeHint] {
        var lists: [(users: [Int64], bytes: Int)] = []
        for user in users {
            let bytes = "\(user)".utf8.count + 1
            if let last = lists.last, last.bytes + bytes + boot.utf8.count + 8 <= limit {
                lists[lists.count - 1].users.append(user)
                lists[lists.count - 1].bytes += bytes
            } else {
                lists.append(([user], bytes))
            }
        }
        return lists.map { .changed($0.users, by: boot) }
    }

    var text: String {
        switch self {
        case .changed(let users, let boot): (["changed", boot] + users.map { "\($0)" }).joined(separator: " ")
        case .asked(let boot): "asked \(boot)"
        case .answered(let boot, let claim): "answered \(boot) \(claim)"
        case .lost(let boot): "lost \(boot)"
        }
    }

    /// Parses a text; nil for a hint of a later version.
    init?(_ text: String) {
        let words = text.split(separator: " ").map { String($0) }
        switch (words.first, words.count) {
        case ("changed", 3...): self = .changed(words.dropFirst(2).compactMap { Int64($0) }, by: words[1])
        case ("asked", 2): self = .asked(words[1])
        case ("answered", 3):
            guard let claim = Int(words[2]) else { return nil }
            self = .answered(words[1], claim: claim)
        case ("lost", 2): self = .lost(words[1])
        default: return nil
        }
    }
}
