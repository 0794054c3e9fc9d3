import ViewModelProtocol

extension Session {
    /// Writes the session's entry of `session.list` (protocol, section 4).
    ///
    /// May be called on any thread.
    ///
    /// - Parameters:
    ///   - withUser: whether the entry has `uid`.
    ///   - writer: the writer of the reply.
    nonisolated func writeListing(withUser: Bool, to writer: inout JSONWriter) {
        let listing = currentListing()
        writer.raw("{\"session\":")
        writer.string(name ?? "")
        writer.raw(",\"attached\":")
        writer.integer(listing.status.attached)
        writer.raw(",\"instances\":")
        writer.integer(listing.status.instances)
        writer.raw(",\"created\":")
        writer.string(listing.created)
        writer.raw(",\"expires\":")
        if let expires = listing.expires { writer.string(expires) } else { writer.raw("null") }
        if withUser {
            writer.raw(",\"uid\":")
            writer.integer(Int(uid))
        }
        writer.byte(UInt8(ascii: "}"))
    }
}
