/// Why a message is no valid request: the `reason` in the data of error -32600 (protocol, section 2).
public enum InvalidReason: String, Sendable, CaseIterable {
    /// A member of the envelope stands twice.
    case duplicateMember
    /// `jsonrpc` is missing or not `"2.0"`.
    case jsonrpc
    /// `method` is missing or no string.
    case method
    /// `params` is neither an array nor an object.
    case params
    /// `id` is neither a string nor a number nor null.
    case id
    /// The message, or the entry of a batch, is no object.
    case notAnObject
    /// The batch has no entry.
    case emptyBatch
    /// A request with this id is still unanswered on the connection.
    case duplicateId
}
