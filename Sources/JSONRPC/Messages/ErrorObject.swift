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
