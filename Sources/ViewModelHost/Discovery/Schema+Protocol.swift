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
            case .object(let members):
                .object(members.map { Property($0.name, Schema($0.schema), required: $0.isRequired) })
            case .optional(let value): .optional(Schema(value))
            }
    }
}

extension ErrorCode {
    /// The meaning of the code in a few words.
    var meaning: String {
        switch self {
        case .invalidParams: "Invalid params"
        case .internalError: "Internal error"
        case .actionFailed: "The action failed"
        case .disabled: "The action is disabled"
        case .executing: "The action is already executing"
        case .notFound: "No such session, instance or type"
        case .accessDenied: "Access denied"
        case .limitExceeded: "Limit exceeded"
        case .shuttingDown: "The daemon is shutting down"
        case .deadlinePassed: "Deadline passed"
        case .cancelled: "The request was cancelled"
        default: "Error"
        }
    }
}
