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
        if params.all != nil { try requireAdmin(for: "all") }
        guard isAwaited else { return .null }
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
    private func sessions(of uid: UInt32?, elsewhere: [RemoteSession]) -> Reply {
        let local = uid.map { host.directory.all(of: $0) } ?? host.directory.all
        // A session on its way is listed where it has arrived.
        let known = elsewhere.isEmpty ? [] : Set(local.compactMap(\.key))
        var remote = elsewhere.filter { !known.contains($0.key) }.sorted { $0.key < $1.key }[...]
        var writer = JSONWriter(reserving: 64 + 160 * (local.count + remote.count))
        var isFirst = true
        func separate() {
            if !isFirst { writer.byte(UInt8(ascii: ",")) }
            isFirst = false
        }
        func writeRemote(before key: SessionKey?) {
            while let session = remote.first, key.map({ session.key < $0 }) ?? true {
                remote.removeFirst()
                guard let summary = session.summary else { continue }
                separate()
                let user = uid == nil ? session.key.uid : nil
                summary.writeListing(of: session.key.name, uid: user, node: session.node, to: &writer)
            }
        }
        writer.raw("{\"sessions\":[")
        for session in local {
            writeRemote(before: session.key)
            separate()
            session.summary.writeListing(of: session.name ?? "", uid: uid == nil ? session.uid : nil, to: &writer)
        }
        writeRemote(before: nil)
        writer.raw("]}")
        return .result(writer.bytes)
    }
}

extension SessionKey {
    fileprivate static func < (left: SessionKey, right: SessionKey) -> Bool {
        (left.uid, left.name) < (right.uid, right.name)
    }
}
