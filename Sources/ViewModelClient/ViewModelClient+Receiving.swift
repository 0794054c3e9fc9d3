import ViewModelProtocol

extension ViewModelClient {
    /// Handles a line from the connection with a generation.
    func received(_ line: [UInt8], _ generation: Int) {
        guard generation == self.generation else { return }
        if case .ended = link { return }
        options.trace?(.received, line)
        let meaning = IncomingLine(line)
        if meaning.isUseful { backoff = nil }
        switch meaning {
        case .result(let id, let bytes): answer(id, bytes)
        case .failure(let id, let error): refuse(pending.remove(id), error)
        case .complaint(let error): complain(error)
        case .notification(let method, let params): notified(method, params)
        case .noise: break
        }
    }

    private func answer(_ id: Int, _ result: [UInt8]) {
        switch pending.remove(id) {
        case .call(let continuation): continuation.resume(returning: result)
        case .binding(let token): beginBinding(token, result)
        case .attach, .nobody, nil: break
        }
    }

    private func refuse(_ waiter: Waiter?, _ error: ProtocolError) {
        switch waiter {
        case .call(let continuation): continuation.resume(throwing: ClientError.refused(error))
        case .binding(let token): endBinding(token, ClientError.refused(error))
        case .attach: end(.refused(error))
        case .nobody, nil: break
        }
    }

    /// Handles an error without an id: the daemon could not read a request, or it refuses the connection.
    private func complain(_ error: ProtocolError) {
        complaint = error
        if let waiter = pending.removeCause(of: error) { refuse(waiter, error) }
    }

    private func notified(_ method: String, _ params: [UInt8]) {
        switch method {
        case ViewModelChanged.name:
            guard let frame = try? decode(ViewModelChanged.Params.self, params, of: method) else { return }
            followFrame(frame)
        case ViewModelClosed.name:
            guard let notice = try? decode(ViewModelClosed.Params.self, params, of: method),
                let token = tokens[notice.id]
            else { return }
            endBinding(token, nil)
        case SessionClosed.name:
            guard let notice = try? decode(SessionClosed.Params.self, params, of: method) else { return }
            sessionClosed(notice)
        default: break
        }
    }

    /// Handles the end of the session.
    ///
    /// It ends the session's bindings, unless the daemon stops.
    ///
    /// After `stopping` the daemon closes the connection, and the client attaches to the session again when it
    /// reconnects.
    private func sessionClosed(_ notice: SessionClosed.Params) {
        guard notice.reason != .stopping else { return }
        attachment = nil
        for token in tokens.values { endBinding(token, ClientError.sessionClosed(notice)) }
    }

    /// Returns the JSON text of a value; throws ``ClientError/Code-swift.struct/unsendable`` if it cannot be encoded.
    static func text(of value: some Encodable) throws(ClientError) -> [UInt8] {
        do {
            return try JSONWriter.text(of: value)
        } catch {
            throw ClientError(code: .unsendable, message: "The value cannot be written as JSON: \(error)")
        }
    }

    /// Decodes a value from the daemon.
    nonisolated func decode<Value: Decodable>(
        _ type: Value.Type,
        _ bytes: [UInt8],
        of method: String
    ) throws(ClientError) -> Value {
        do {
            return try IncomingLine.decode(type, bytes)
        } catch {
            throw .unexpectedReply(to: method, error)
        }
    }
}
