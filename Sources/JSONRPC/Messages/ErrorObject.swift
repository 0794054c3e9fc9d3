/// The error of an answer (JSON-RPC 2.0, section 5.1).
public struct ErrorObject: Error, Sendable, Equatable {
    /// What kind of error it is.
    public var code: Int
    /// One sentence for people.
    public var message: String
    /// The JSON text of what else is known.
    public var data: [UInt8]?

    /// Makes an error.
    public init(code: Int, message: String, data: [UInt8]? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    /// Makes an error of a known code.
    public init(_ code: ErrorCode, message: String, data: [UInt8]? = nil) {
        self.init(code: code.rawValue, message: message, data: data)
    }

    /// Reads the verified JSON text of an error object; nil where it is none.
    public init?(parsing text: Bytes) {
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

    /// Appends the error object; `data` is left out where there is none.
    public func write(to writer: inout JSONWriter) {
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
