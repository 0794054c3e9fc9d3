import NIOCore

/// The connections to the daemon for the requests of an HTTP connection, of which each has one of its own.
///
/// The next one is opened while the client reads a reply, from its second request on. It has a scope and no session, so no
/// request finds what another one has left. A proxy sends the requests of several people on one connection.
///
/// Isolation: confined to the gateway's event loop.
final class SpareLink: DaemonLinkOwner {
    private var link: DaemonLink?
    private var identity: ByteBuffer?
    private var requests = 0

    /// Returns a link for a request: the spare one if it has the same scope, else a new one.
    func take(_ gateway: Gateway, _ setup: SetupRequests, owner: any DaemonLinkOwner) -> DaemonLink {
        requests += 1
        guard let spare = link.take() else { return DaemonLink.open(gateway, setup, owner: owner) }
        guard identity == setup.requests.first else {
            spare.close()
            return DaemonLink.open(gateway, setup, owner: owner)
        }
        spare.hand(over: setup.requests.dropFirst(), to: owner)
        return spare
    }

    /// Opens a link for the next request, which probably has the same scope.
    func prepare(_ gateway: Gateway, _ setup: SetupRequests) {
        guard requests > 1, link == nil else { return }
        identity = setup.requests.first
        link = DaemonLink.open(gateway, setup.withoutSession, owner: self)
    }

    func close() {
        link?.close()
        link = nil
    }

    // MARK: DaemonLinkOwner

    var acceptsBytes: Bool { true }

    func linkOpened(lastReply: ByteBuffer) {}

    func linkEnded(_ end: DaemonLink.End) {
        link = nil
    }
}
