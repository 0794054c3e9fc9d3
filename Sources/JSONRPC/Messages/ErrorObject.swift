/// The error of a reply (JSON-RPC 2.0, section 5.1).
package struct ErrorObject: Error, Sendable, Equatable {
    /// The number that identifies the kind of the error.
    package var code: Int
    /// One sentence for people.
    package var message: String
    /// The JSON text of the details.
    package var data: [UInt8]?

    /// Creates an error.
    package init(code: Int, message: String, data: [UInt8]? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    /// Creates an error with a known code.
    package init(_ code: ErrorCode, message: String, data: [UInt8]? = nil) {
        self.init(code: code.rawValue, message: message, data: data)
    }

    /// Reads the verified JSON text of an error object; returns nil without an integer `code` and a string `message`.
    package init?(parsing text: Bytes) {
        guard JSONText.kind(of: text) == .object else { return nil }
        var code: Int?
        var message: String?
        var data: [UInt8]?
        JSONText.forEachMember(of: text) { name, range in
            let value = text.part(range)
            switch name {
            case "code": code = try? JSONValueDecoder.decode(Int.self, from: value)
            case "message": message = try? JSONValueDecoder.decode(String.self, from: value)
            case "data": data = Array(value)
            default: break
            }
        }
        guard let code, let message else { return nil }
        self.init(code: code, message: message, data: data)
    }

    /// Appends the error object.
    ///
    /// Without details it has no member `data`.
    package func write(to writer: inout JSONWriter) {
        writer.raw(#"{"code":"#)
        writer.integer(code)
        writer.raw(#","message":"#)
        writer.string(message)
        if let data {
            writer.raw(#","data":"#)
            writer.raw(data)
        }
        writer.byte(ASCII.closeBrace)
    }
}

/// The code of an error object.
///
/// The set is open: other modules add their codes as statics.
public struct ErrorCode: RawRepresentable, Hashable, Sendable {
    /// The number on the wire.
    public var rawValue: Int

    /// Creates a code.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The message is not JSON (JSON-RPC 2.0, section 5.1).
    public static let parseError = ErrorCode(rawValue: -32700)
    /// The message is JSON, but not a valid request.
    public static let invalidRequest = ErrorCode(rawValue: -32600)
    /// The method does not exist.
    public static let methodNotFound = ErrorCode(rawValue: -32601)
    /// The params do not fit the method.
    public static let invalidParams = ErrorCode(rawValue: -32602)
    /// The server has failed internally.
    public static let internalError = ErrorCode(rawValue: -32603)
}
