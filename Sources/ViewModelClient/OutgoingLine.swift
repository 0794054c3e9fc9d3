import ViewModelProtocol

/// The JSON text of messages that a client sends, without the line end.
enum OutgoingLine {
    /// Returns a request, or without an id a notification.
    static func message(id: Int? = nil, method: String, params: [UInt8]?) -> [UInt8] {
        let prefix = id.map { "\"id\":\($0)," } ?? ""
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

/// The params of an input or action, made from its single value (protocol, section 6).
enum MemberParams {
    /// Encodes a value: the members of an object are the params, any other value is the member `value`.
    static func encode(_ value: some Encodable, meta: Meta?) throws(ClientError) -> [UInt8] {
        var params = try ViewModelClient.text(of: value)
        if params.first != UInt8(ascii: "{") {
            params = Array("{\"value\":".utf8) + params + [UInt8(ascii: "}")]
        }
        guard let meta else { return params }
        let isEmpty = params.count == 2
        params.removeLast()
        if !isEmpty { params.append(UInt8(ascii: ",")) }
        params += Array("\"\(Meta.member)\":".utf8)
        params += try ViewModelClient.text(of: meta)
        params.append(UInt8(ascii: "}"))
        return params
    }
}
