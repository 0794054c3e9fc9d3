/// The kind of one message and the positions of its parts, without the parts themselves.
///
/// Ranges are byte offsets into the text that was parsed. For an entry of a batch this is the text of the whole batch.
/// The type is trivial: making an envelope allocates nothing.
package struct Envelope: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// A method with an id.
        ///
        /// It gets a reply.
        case request
        /// A method without an id.
        ///
        /// It gets no reply.
        case notification
        /// A reply: a result or an error.
        ///
        /// It gets no reply.
        case reply
        /// JSON that is not a valid request.
        ///
        /// It is answered with -32600.
        case invalid(InvalidReason)
    }

    package var kind: Kind
    /// The JSON text of the id, including a string's quotes; nil if the id is missing, duplicate or of a wrong type.
    ///
    /// The reply to a message without a usable id has the id null.
    package var id: Range<Int>?
    /// The text of the method between its quotes; empty if the message has no method.
    package var method = 0..<0
    /// Whether the method has escapes, which ``JSONText/string(_:)`` resolves.
    package var methodHasEscapes = false
    /// The JSON text of the params, an array or an object.
    package var params: Range<Int>?
    /// The JSON text of a reply's result.
    package var result: Range<Int>?
    /// The JSON text of a reply's error.
    package var error: Range<Int>?
    /// The known members, each as a ``Member/bit``: those that were read, those that stand twice, and those with a value of
    /// a wrong type.
    var (seen, doubled, wrong): (UInt8, UInt8, UInt8) = (0, 0, 0)

    init(kind: Kind) {
        self.kind = kind
    }

    /// Parses a message and verifies all of it, in one pass and without recursion.
    ///
    /// The text must satisfy RFC 8259 and the limits of the protocol's section 1: valid UTF-8, no byte order mark, no
    /// lone surrogate escape, at most 128 levels. It allocates nothing, unless the names or the version have escapes. A
    /// batch is an invalid request here; ``batch(in:maximum:)`` parses it.
    ///
    /// - Throws: ``JSONSyntaxError`` with the offset of the first fault.
    package init(parsing bytes: Bytes) throws(JSONSyntaxError) {
        var scanner = JSONScanner(bytes)
        scanner.skipWhiteSpace()
        self = try scanner.envelope(inside: 0)
        try scanner.finish()
    }
}

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

extension InvalidReason {
    /// A sentence for a person: `hint` in the data of the error.
    package var hint: String {
        switch self {
        case .duplicateMember: "Each of jsonrpc, id, method and params may stand once in a message"
        case .jsonrpc: "Each message has \"jsonrpc\":\"2.0\"; names are case-sensitive"
        case .method: "A request has a method, which is a string such as \"calculator.press\"; names are case-sensitive"
        case .params: "The params are an object or an array: leave params out instead of null"
        case .id: "The id is a string, a number or null; a message without id is a notification"
        case .notAnObject: "A message is an object, and a batch is an array of objects"
        case .emptyBatch: "A batch has at least one request"
        case .duplicateId: "An earlier request with this id has no reply yet: give each request an id of its own"
        }
    }
}
