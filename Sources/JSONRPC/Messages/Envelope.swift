/// One message without its contents: what it is, and where its parts stand.
///
/// Ranges are byte offsets into the text that the message was read from, the whole batch in the case of an entry.
/// A trivial value: reading it allocates nothing.
public struct Envelope: Sendable, Equatable {
    /// What a message is.
    public enum Kind: Sendable, Equatable {
        /// A method with an id, to be answered.
        case request
        /// A method without an id, never answered.
        case notification
        /// A result or an error, never answered.
        case answer
        /// JSON, but no valid request: answered -32600.
        case invalid(InvalidReason)
    }

    /// What the message is.
    public var kind: Kind
    /// The JSON text of the id, quotes included; nil where there is none, or none that can be used: then a reply has
    /// the id null.
    public var id: Range<Int>?
    /// The method's text between its quotes; empty where there is none.
    public var method: Range<Int>
    /// Whether the method must be read with ``JSONText/string(_:)``.
    public var methodHasEscapes: Bool
    /// The JSON text of the params, an array or an object.
    public var params: Range<Int>?
    /// The JSON text of an answer's result.
    public var result: Range<Int>?
    /// The JSON text of an answer's error.
    public var error: Range<Int>?

    /// Makes an envelope that names nothing.
    public init(kind: Kind) {
        self.kind = kind
        id = nil
        method = 0..<0
        methodHasEscapes = false
        params = nil
        result = nil
        error = nil
    }
}
