import ViewModelProtocol

/// The handler of `session.list` (protocol, section 4).
extension RPCPeer {
    /// Lists the living sessions of the caller's user, or of all users.
    ///
    /// - Returns: The reply; nil if it comes later, because sessions may live on other nodes.
    func listSessions(
        _ params: SessionList.Params,
        _ request: borrowing Request
    ) throws(ProtocolError) -> Reply? {
        let isForAll = params.all ?? false
        if params.all != nil { try requireAdmin(for: "all", in: SessionList.name) }
        let uid = isForAll ? nil : identity.uid
        guard let placement = host.placement else { return sessions(of: uid, elsewhere: []) }
        let pending = pendingReply(to: request)
        let peer = LoopConfined(self, on: loop)
        host.storeQueue.enqueue(.elsewhere(uid), on: loop.taskExecutor) { [host] in
            var elsewhere: [RemoteSession] = []
            do {
                elsewhere = try await placement.sessionsElsewhere(of: uid)
            } catch {
                // The sessions of this node are listed all the same.
                _ = host.storeError(error, in: "listing the sessions of other nodes", [:])
            }
            peer.run { [elsewhere] peer in pending.complete(peer.sessions(of: uid, elsewhere: elsewhere)) }
        }
        return nil
    }

    /// Returns the list of a user's sessions, or of all users' for nil, sorted by user and name.
    ///
    /// It is written without `Encodable`, because a user may have thousands of sessions.
    private func sessions(of uid: UInt32?, elsewhere: [RemoteSession]) -> Reply {
        var listed: [SessionKey: (summary: SessionSummary, node: String?)] = [:]
        for session in elsewhere { listed[session.key] = session.summary.map { ($0, session.node) } }
        // A session on its way is listed where it has arrived.
        for session in host.directory.living(of: uid) {
            if let key = session.key { listed[key] = (session.summary, nil) }
        }
        var writer = JSONWriter(reserving: 64 + 160 * listed.count)
        writer.raw("{\"sessions\":[")
        var isFirst = true
        for (key, (summary, node)) in listed.sorted(by: { ($0.key.uid, $0.key.name) < ($1.key.uid, $1.key.name) }) {
            writer.raw(isFirst ? "{\"session\":" : ",{\"session\":")
            isFirst = false
            writer.string(key.name)
            writer.raw(",\"attached\":")
            writer.integer(summary.attached)
            writer.raw(",\"instances\":")
            writer.integer(summary.instances)
            writer.raw(",\"created\":")
            writer.string(summary.created)
            writer.raw(",\"expires\":")
            if let expires = summary.expires { writer.string(expires) } else { writer.raw("null") }
            if uid == nil {
                writer.raw(",\"uid\":")
                writer.integer(Int(key.uid))
            }
            if let node {
                writer.raw(",\"node\":")
                writer.string(node)
            }
            writer.byte(UInt8(ascii: "}"))
        }
        writer.raw("]}")
        return .result(writer.bytes)
    }
}
