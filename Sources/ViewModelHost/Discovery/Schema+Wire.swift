import ViewModelKit
import ViewModelProtocol

extension Schema {
    /// Converts the schema of a protocol method or notification.
    init(_ schema: WireSchema) {
        self =
            switch schema {
            case .any: .any
            case .null: .null
            case .boolean: .boolean
            case .integer(let range): .integer(range)
            case .string(let format): .string(format: format)
            case .enumeration(let cases): .enumeration(cases)
            case .array(let element): .array(Schema(element))
            case .dictionary(let value): .dictionary(Schema(value))
            case .object(let members): .object(members.map { Property($0) })
            case .optional(let value): .optional(Schema(value))
            }
    }
}

extension Schema.Property {
    fileprivate init(_ member: WireSchema.Member) {
        self.init(member.name, Schema(member.schema), required: member.isRequired)
        // The types of the protocol write no member without a value.
        isLeftOut = !member.isRequired
    }
}

extension Meta {
    /// The schema of the options of an input.
    static let inputSchema: Schema = .object([key])
    /// The schema of the options of an action.
    static let actionSchema: Schema = .object([deadline, key])

    private static let key = Schema.Property(
        "key",
        .string().bounded(Bounds(...longestKey)),
        required: false,
        description:
            "Makes a retry safe: a call whose key was seen within the last ten minutes is not carried out again. "
            + "At most \(longestKey) bytes."
    )
    private static let deadline = Schema.Property(
        "deadline",
        .integer(0...Int128(Int64.max)),
        required: false,
        description: "The milliseconds after which the action is cancelled."
    )
}
