package import ViewModelKit
package import ViewModelProtocol

/// What those who run a peer themselves may look at: test kits.
extension RPCPeer {
    /// The graph of the session that the client is in, which is on this loop.
    package var graph: Graph { currentHandle().session.core.graph }

    /// The author's object behind an instance, which comes into being if it is a default one; nil where there is none.
    ///
    /// - Throws: what naming the instance in a request would be answered with.
    package func viewModel(_ id: String) throws(ProtocolError) -> AnyObject? {
        try currentHandle().session.core.resolve(id)?.object
    }
}
