import Digests
import Logging
import ViewModelKit
import ViewModelProtocol

/// The handler of `connection.actFor` (protocol, section 4).
extension RPCPeer {
    /// Checks that the scope `observe` permits a request, or that it is the one request of a connection without a user.
    ///
    /// The handler of `connection.actFor` refuses it for all other clients.
    func checkPermission(_ request: borrowing Request, _ own: (any DescribedMethod.Type)?) throws(ProtocolError) {
        guard identity.isUnbound else {
            guard own?.scope != .observe else { return }
            let name = String(decoding: request.method, as: UTF8.self)
            throw .accessDenied(reason: "the scope observe does not permit \(name)")
        }
        var isFirst = false
        if case .awaited = identity.delegation { isFirst = true }
        identity.delegation = .decided
        guard isFirst, request.id != nil, request.entry == nil, own == ConnectionActFor.self else {
            throw .accessDenied(
                reason: "the scope delegate permits only \(ConnectionActFor.name), as the first request and alone"
            )
        }
    }

    /// Makes the connection that of a person.
    func actFor(_ reader: ParamsReader, _ request: borrowing Request) throws(ProtocolError) -> Reply? {
        guard identity.isUnbound else {
            throw .accessDenied(reason: "only the scope delegate permits \(ConnectionActFor.name), and only once")
        }
        let params: ConnectionActFor.Params
        do throws(ProtocolError) {
            params = try Self.readActFor(reader)
        } catch {
            logRefusal(error)
            throw error
        }
        let digest = SHA256.hash(Array(params.subject.text.utf8))
        let pending = pendingReply(to: request)
        let peer = LoopConfined(self, on: loop)
        move(pending) { [host, log = metadata] () async throws(ProtocolError) in
            let user: UInt32
            do {
                user = try await host.userNumber(of: digest)
            } catch is NoUserNumberLeft {
                host.logRarely(.error, "All user numbers of people are given. New people need another store", log)
                let failure = ProtocolError.limitExceeded(limit: "people", value: ClosedRange.ofPeople.count)
                return peer.run { $0.refuseActFor(failure, pending) }
            } catch {
                let failure = host.storeError(error, in: "finding a user number", log)
                return peer.run { $0.refuseActFor(failure, pending) }
            }
            peer.run { $0.actFor(user, params, digest.hexadecimal, pending) }
        }
        return nil
    }

    private static func readActFor(_ reader: ParamsReader) throws(ProtocolError) -> ConnectionActFor.Params {
        // Elsewhere the last of two values counts. Here the sender and a proxy before it could read two people.
        var names: Set<ExactString> = []
        var repeated: String?
        if case .object = JSONText.kind(of: reader.object) {
            JSONText.forEachMember(of: reader.object) { name, _ in
                if !names.insert(ExactString(name.description)).inserted { repeated = name.description }
            }
        }
        if let repeated {
            throw .invalidParams(path: ValueMismatch.step(repeated), expected: "one value", found: "two values")
        }
        do throws(ValueMismatch) {
            return try reader.object(ConnectionActFor.Params.self)
        } catch {
            throw ProtocolError(error, names: ConnectionActFor.paramsSchema.memberNames)
        }
    }

    /// Hands the connection over to the loop of the person.
    private func actFor(
        _ user: UInt32,
        _ params: ConnectionActFor.Params,
        _ digest: String,
        _ pending: LoopConfined<PendingReply>
    ) {
        guard !isClosed, let sink else { return }
        let person = User.Identity(
            name: params.name?.text ?? "",
            subject: params.subject.text,
            claims: .encoding(params.claims ?? Claims())
        )
        var next = ClientIdentity(uid: user, pid: identity.pid, scope: params.scope ?? .act)
        next.delegation = .person(person, digest: digest)
        do throws(ProtocolError) {
            try sink.handOver(to: next) {
                let details: Logger.Metadata = [
                    "user": "\(user)", "subject": "\(digest)", "scope": "\(next.scope.rawValue)",
                ]
                host.logger.debug("A connection acts for a person", metadata: metadata.merging(details) { $1 })
                pending.value.complete(host.reply(ConnectionActFor.Result(user: user), metadata))
            }
        } catch {
            refuseActFor(error, pending)
        }
    }

    /// Refuses `connection.actFor` after its params were accepted, and closes the connection.
    private func refuseActFor(_ error: ProtocolError, _ pending: LoopConfined<PendingReply>) {
        guard !isClosed else { return }
        logRefusal(error)
        endMove(pending, .error(error))
        sink?.finish()
    }

    /// Logs a refusal whose code alone is not logged.
    private func logRefusal(_ error: ProtocolError) {
        log(.delegationRefused) { ["code": "\(error.code.rawValue)"] }
    }
}
