internal import FoundationEssentials

/// Descriptions of the value that a type expects, for ``ValueMismatch/expected``.
enum Expectation {
    static let integer = "an integer"
    static let number = "a number"
    static let string = "a string"
    static let boolean = "true or false"
    static let array = "an array"
    static let object = "an object"
    static let null = "null"
    static let date = "a date as in 2026-01-31T12:00:00Z"
    static let base64 = "a string in base64"

    static func integer<T: FixedWidthInteger>(in type: T.Type) -> String {
        "an integer from \(T.min) to \(T.max)"
    }

    static func float<T: BinaryFloatingPoint>(in type: T.Type) -> String {
        "a number within the range of a \(T.self)"
    }

    /// Returns the form of the values of a type, for a value that its own code has rejected: of an enum that lists its cases
    /// their raw values, of any other type but a UUID and a URL nil.
    static func form(_ type: Any.Type) -> String? {
        if type == UUID.self { return "a UUID such as 6BA7B810-9DAD-11D1-80B4-00C04FD430C8" }
        if type == URL.self { return "a URL" }
        guard let choice = type as? any CaseIterable.Type else { return nil }
        return list(choice)
    }

    private static func list<T: CaseIterable>(_ type: T.Type) -> String? {
        let values = T.allCases.compactMap { ($0 as? any RawRepresentable).map { "\($0.rawValue)" } }
        return values.isEmpty ? nil : "one of " + values.joined(separator: " ")
    }

    /// The description for a value that a type's own code has rejected.
    static let another = "another value"

    static func any(_ type: Any.Type) -> String {
        if let form = form(type) { return form }
        return switch type {
        case is any FixedWidthInteger.Type: integer
        case is any BinaryFloatingPoint.Type: number
        case is String.Type: string
        case is Bool.Type: boolean
        case is Date.Type: date
        case is Data.Type: base64
        case is any JSONArrayRepresentable.Type: array
        case is any JSONObjectRepresentable.Type: object
        default: "a value"
        }
    }
}
