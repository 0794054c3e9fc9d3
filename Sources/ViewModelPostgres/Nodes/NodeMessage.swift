import ViewModelHost

/// A message of one node to others, as the text of a notification.
///
/// A message may be lost. The database has the truth.
enum NodeMessage: Equatable, Sendable {
    /// The node asks the boot for a session that it owns under the fence.
    case request(SessionKey, SessionFence, ClaimMode, boot: String, node: String)
    /// The owner of the session has let it go, or has reported about it.
    case changed(SessionKey)
    /// The owner of the session has closed it, and erased what was saved of it.
    case closed(SessionKey)
    /// Sessions were taken over from the boot.
    case taken(from: String)

    /// The text.
    ///
    /// The names of sessions and boots have no spaces.
    var text: String {
        switch self {
        case .request(let key, let fence, let mode, let boot, let node):
            "request \(key.uid) \(key.name) \(fence.number) \(mode.rawValue) \(boot) \(node)"
        case .changed(let key): "changed \(key.uid) \(key.name)"
        case .closed(let key): "closed \(key.uid) \(key.name)"
        case .taken(let boot): "taken \(boot)"
        }
    }

    /// Parses a text; nil for the message of a later version.
    init?(_ text: String) {
        let words = text.split(separator: " ", maxSplits: 6).map { String($0) }
        switch words.first {
        case "request" where words.count == 7:
            guard let uid = UInt32(words[1]), let fence = Int64(words[3]), let mode = ClaimMode(rawValue: words[4])
            else {
                return nil
            }
            let key = SessionKey(uid: uid, name: words[2])
            self = .request(key, SessionFence(fence), mode, boot: words[5], node: words[6])
        case "changed" where words.count == 3, "closed" where words.count == 3:
            guard let uid = UInt32(words[1]) else { return nil }
            let key = SessionKey(uid: uid, name: words[2])
            self = words[0] == "closed" ? .closed(key) : .changed(key)
        case "taken" where words.count == 2: self = .taken(from: words[1])
        default: return nil
        }
    }
}
