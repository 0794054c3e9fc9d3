import ViewModelKit
import ViewModelProtocol

/// A JSON value whose members keep their order, because people read the document as well.
indirect enum DocumentValue {
    case string(String)
    case integer(Int128)
    case bool(Bool)
    case array([DocumentValue])
    case object([(String, DocumentValue)])

    func write(to writer: inout JSONWriter) {
        switch self {
        case .string(let text): writer.string(text)
        case .integer(let number): writer.integer(number)
        case .bool(let flag): writer.bool(flag)
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
