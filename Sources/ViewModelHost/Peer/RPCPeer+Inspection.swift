package import ViewModelKit
package import ViewModelProtocol

/// Inspection for test kits, which run a peer themselves.
extension RPCPeer {
    /// The graph of the client's session, which must be on this loop.
    package var graph: Graph { core.graph }

    /// Returns the author's object of an instance, or nil.
    ///
    /// A default instance is created by its first mention.
    ///
    /// - Throws: The error that a request with this instance id would get.
    package func viewModel(_ id: String) throws(ProtocolError) -> AnyObject? {
        try core.resolve(id)?.object
    }

    private var core: SessionCore {
        if attachment == nil { attachToOwnSession() }
        guard let localAttachment else { fatalError("the client's session is on another loop") }
        return localAttachment.core
    }
}
