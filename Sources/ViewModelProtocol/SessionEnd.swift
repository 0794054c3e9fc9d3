/// The end of a session (protocol, section 4).
///
/// After `closed` and `failed` a client attaches to a new session of that name, binds again and repeats the calls that the
/// daemon has refused since. After `stopping` it does so with the next daemon. After `moved` it ends. An anonymous session
/// is followed by another one.
public struct SessionEnd: Codable, Equatable, Sendable {
    /// The session's name.
    ///
    /// It is nil for the connection's anonymous session, which is reported only after `failed`.
    public var session: String?
    /// The reason on the wire: `closed`, `failed`, `stopping` or `moved`.
    ///
    /// The set is open.
    public var reason: String
    /// The incident's id in the daemon's log, for the reason `failed`.
    public var incident: String?
    /// The machine to which the session has moved, for the reason `moved`, if it is known.
    public var node: String?

    package init(
        session: String? = nil,
        reason: SessionClosed.Reason,
        incident: String? = nil,
        node: String? = nil
    ) {
        self.session = session
        self.reason = reason.rawValue
        self.incident = incident
        self.node = node
    }

    /// Whether the session ended for a reason.
    package func has(reason: SessionClosed.Reason) -> Bool { self.reason == reason.rawValue }

    /// Writes the end, with null for a nil session and without a nil incident or node.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(session, forKey: .session)
        try container.encode(reason, forKey: .reason)
        try container.encodeIfPresent(incident, forKey: .incident)
        try container.encodeIfPresent(node, forKey: .node)
    }
}
