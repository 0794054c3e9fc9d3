import ViewModelProtocol

extension SessionSummary {
    /// Writes a session's entry of `session.list` (protocol, section 4); `node` is nil for a session that lives here.
    ///
    /// It is written without `Encodable`, because a user may have thousands of sessions.
    func writeListing(of name: String, uid: UInt32?, node: String? = nil, to writer: inout JSONWriter) {
        writer.raw("{\"session\":")
        writer.string(name)
        writer.raw(",\"attached\":")
        writer.integer(attached)
        writer.raw(",\"instances\":")
        writer.integer(instances)
        writer.raw(",\"created\":")
        writer.string(created)
        writer.raw(",\"expires\":")
        if let expires { writer.string(expires) } else { writer.raw("null") }
        if let uid {
            writer.raw(",\"uid\":")
            writer.integer(Int(uid))
        }
        if let node {
            writer.raw(",\"node\":")
            writer.string(node)
        }
        writer.byte(UInt8(ascii: "}"))
    }
}
