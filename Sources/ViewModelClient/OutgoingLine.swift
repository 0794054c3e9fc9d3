import ViewModelProtocol

/// The JSON text of messages that a client sends, without the line end.
enum OutgoingLine {
    static func request(id: Int, method: String, params: [UInt8]?) -> [UInt8] {
        message(prefix: "\"id\":\(id),", method: method, params: params)
    }

    static func notification(method: String, params: [UInt8]?) -> [UInt8] {
        message(prefix: "", method: method, params: params)
    }

    private static func message(prefix: String, method: String, params: [UInt8]?) -> [UInt8] {
        var line = Array("{\"jsonrpc\":\"2.0\",\(prefix)\"method\":".utf8)
        line += JSONValue.string(method).text
        if let params {
            line += Array(",\"params\":".utf8)
            line += params
        }
        line.append(UInt8(ascii: "}"))
        return line
    }
}
