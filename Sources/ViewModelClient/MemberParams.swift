import ViewModelProtocol

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
