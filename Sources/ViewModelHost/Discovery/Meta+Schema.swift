import ViewModelKit
import ViewModelProtocol

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
