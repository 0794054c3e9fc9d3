import ViewModelProtocol

/// A JSON value whose members keep their order, because people read the document as well.
indirect enum DocumentValue {
    case null
    case string(String)
    case integer(Int128)
    case number(Double)
    case bool(Bool)
    case array([DocumentValue])
    case object([(String, DocumentValue)])
    /// A value as JSON text.
    case text(String)

    /// The value as JSON text.
    var text: [UInt8] {
        var writer = JSONWriter(reserving: 16 << 10)
        write(to: &writer)
        return writer.bytes
    }

    /// Returns an object with a further member.
    ///
    /// It replaces a member of the same name. Another value is unchanged.
    func adding(_ name: String, _ value: DocumentValue) -> DocumentValue {
        switch self {
        case .object(let members): .object(members.filter { $0.0 != name } + [(name, value)])
        default: self
        }
    }

    /// Returns an object with a description, unless the text is empty.
    func described(_ text: String) -> DocumentValue {
        text.isEmpty ? self : adding("description", .string(text))
    }

    func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.raw("null")
        case .string(let text): writer.string(text)
        case .integer(let number): writer.integer(number)
        case .number(let number): writer.double(number)
        case .bool(let flag): writer.bool(flag)
        case .text(let text): writer.raw(Array(text.utf8))
        case .array(let elements):
            writer.byte(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { writer.byte(UInt8(ascii: ",")) }
                element.write(to: &writer)
            }
            writer.byte(UInt8(ascii: "]"))
        case .object(let members):
            writer.byte(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { writer.byte(UInt8(ascii: ",")) }
                writer.string(member.0)
                writer.byte(UInt8(ascii: ":"))
                member.1.write(to: &writer)
            }
            writer.byte(UInt8(ascii: "}"))
        }
    }
}
