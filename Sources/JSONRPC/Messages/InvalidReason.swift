/// The reason why a message is not a valid request: `reason` in the data of error -32600 (protocol, section 2).
package enum InvalidReason: String, Sendable, CaseIterable {
    /// The message has `jsonrpc`, `id`, `method` or `params` twice.
    case duplicateMember
    /// `jsonrpc` is missing or not `"2.0"`.
    case jsonrpc
    /// `method` is missing or not a string.
    case method
    /// `params` is neither an array nor an object.
    case params
    /// `id` is neither a string nor a number nor null.
    case id
    /// The message, or an entry of the batch, is not an object.
    case notAnObject
    /// The batch is empty.
    case emptyBatch
    /// An earlier request of the connection with the same id has no reply yet.
    case duplicateId
}
