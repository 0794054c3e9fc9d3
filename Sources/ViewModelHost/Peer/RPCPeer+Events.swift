package import Logging
import ViewModelProtocol

/// What is counted and logged of a client; never params, values or details, which may be secrets.
extension RPCPeer {
    /// Takes note of an error that a request came to, a notification's too.
    ///
    /// - Parameter method: what was called, where that is known.
    func note(_ error: ProtocolError, of method: @autoclosure () -> String? = nil) {
        host.counters.count(error.code)
        if let cause = error.cause {
            // The text of an author's `init(from:)`, which looks for it here.
            host.logRarely(
                .notice,
                "A type refused a value",
                metadata.merging(["cause": "\(cause)", "method": "\(method() ?? "")"]) { $1 }
            )
        }
        log(.failed(error.code)) {
            var facts: Logger.Metadata = ["code": "\(error.code.rawValue)"]
            facts["method"] = method().map { "\($0)" }
            for name in ["error", "limit", "incident", "reason"] {
                facts[name] = error.data?[name]?.stringValue.map { "\($0)" }
            }
            return facts
        }
    }

    /// Takes note of events that the client was told to have missed.
    func noteLost(_ count: Int, of instance: String) {
        log(.lostEvents) { ["lost": "\(count)", "instance": "\(instance)"] }
    }

    /// Takes note of an answer to nothing.
    func noteStrayAnswer() {
        log(.strayAnswer) { [:] }
    }

    /// What becomes of the outcome of a notification: nobody is told, but the log is.
    func noting(_ instance: Bytes, _ member: Bytes) -> Completion {
        let peer = LoopConfined(self, on: loop)
        let method = "\(String(decoding: instance, as: UTF8.self)).\(String(decoding: member, as: UTF8.self))"
        return { reply in
            guard case .error(let error) = reply else { return }
            peer.run { $0.note(error, of: method) }
        }
    }

    /// Logs what was held back, when the connection has ended.
    func logHeldBack() {
        for (event, count) in pace.takeHeldBack() {
            guard let more = host.admitLine(of: identity.uid, event, count: count) else { continue }
            host.logger.log(
                level: event.level,
                "Events of a connection were not logged one by one",
                metadata: metadata.merging(["event": "\(event.message)", "count": "\(count + more)"]) { $1 }
            )
        }
    }

    /// Who this is, for the log.
    package var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = ["uid": "\(identity.uid)", "pid": "\(identity.pid)"]
        // The client's own words: nothing in them may look like another line of the log.
        if let client { metadata["client"] = "\(client.name.filter(\.isPlain))" }
        return metadata
    }

    private func log(_ event: ClientEvent, _ facts: () -> Logger.Metadata) {
        guard host.logger.logLevel <= event.level, let heldBack = pace.admit(event, at: loop.now),
            let more = host.admitLine(of: identity.uid, event, count: 1 + heldBack)
        else { return }
        var all = metadata.merging(facts()) { $1 }
        if heldBack + more > 0 { all["repeated"] = "\(heldBack + more)" }
        host.logger.log(level: event.level, "\(event.message)", metadata: all)
    }
}

extension Character {
    /// Whether the character neither ends a line nor controls a terminal.
    fileprivate var isPlain: Bool {
        !isNewline && !unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
