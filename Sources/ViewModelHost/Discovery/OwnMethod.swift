import ViewModelKit
import ViewModelProtocol

/// One of the protocol's own methods, as the discovery document describes it.
struct OwnMethod {
    let name: String
    let summary: String
    let params: Schema
    let result: Schema
    let errors: [ErrorCode]

    private init(_ name: String, _ summary: String, _ params: Schema, _ result: Schema, _ errors: [ErrorCode]) {
        self.name = name
        self.summary = summary
        self.params = params
        self.result = result
        self.errors = errors
    }

    static let all: [OwnMethod] = [
        .init(
            SessionAttach.name,
            "Moves the connection to the session of a name, which is made when it does not exist.",
            .object([
                .init("session", name, required: false), .init("linger", count, required: false),
                .init("client", software, required: false), .init("uid", uid, required: false),
            ]),
            .object([
                .init("session", name), .init("created", .boolean), .init("restored", .boolean),
                .init("epoch", .string()), .init("linger", count), .init("daemon", software),
                .init("protocol", .integer()),
            ]),
            [.invalidParams, .notFound, .accessDenied, .limitExceeded]
        ),
        .init(
            SessionList.name,
            "Lists the named sessions of the caller's user; of all users, for an admin who asks for them.",
            .object([.init("all", .boolean, required: false)]),
            .object([
                .init(
                    "sessions",
                    .array(
                        .object([
                            .init("session", name), .init("attached", count), .init("instances", count),
                            .init("created", .string(format: "date-time")),
                            .init("expires", .optional(.string(format: "date-time"))),
                            .init("uid", uid, required: false),
                        ])
                    )
                )
            ]),
            [.invalidParams, .accessDenied]
        ),
        .init(
            SessionClose.name,
            "Ends a session, this one when it is left out, and erases what was saved of it.",
            .object([.init("session", name, required: false), .init("uid", uid, required: false)]),
            .null,
            [.invalidParams, .notFound, .accessDenied]
        ),
        .init(
            ViewModelOpen.name,
            "Makes an instance of a ViewModel type, or finds the one that has the id.",
            .object([
                .init("type", .string()), .init("id", name, required: false),
                .init("arguments", .dictionary(.any), required: false),
            ]),
            .object([.init("id", name), .init("type", .string()), .init("created", .boolean)]),
            [.invalidParams, .notFound]
        ),
        .init(
            ViewModelClose.name,
            "Ends an instance; its actions are cancelled, its children go with it.",
            .object([.init("id", name)]),
            .null,
            [.invalidParams, .notFound]
        ),
        .init(
            ViewModelList.name,
            "Lists the instances of the session in the order of their creation.",
            .object([]),
            .object([
                .init("instances", .array(.object([.init("id", name), .init("type", .string())])))
            ]),
            [.invalidParams]
        ),
        .init(
            ViewModelRead.name,
            "Gives an instance's current values, once.",
            .object([
                .init("id", name), .init("outputs", .array(.string()), required: false),
                .init("windows", .dictionary(window), required: false),
            ]),
            .object([
                .init("id", name), .init("epoch", .string()), .init("seq", count),
                .init("values", .dictionary(.any)),
            ]),
            [.invalidParams, .notFound]
        ),
        .init(
            ViewModelBind.name,
            "Gives an instance's values now, and from now on a viewModel.changed for each change.",
            .object([
                .init("id", name), .init("outputs", .array(.string()), required: false),
                .init("since", .object([.init("epoch", .string()), .init("seq", count)]), required: false),
                .init("windows", .dictionary(window), required: false),
                .init("minInterval", count, required: false), .init("patches", .boolean, required: false),
            ]),
            .object([
                .init("id", name), .init("epoch", .string()), .init("seq", count), .init("full", .boolean),
                .init("values", .dictionary(.any)), .init("patch", .array(.any), required: false),
                .init("events", .array(event), required: false), .init("lost", count, required: false),
            ]),
            [.invalidParams, .notFound]
        ),
        .init(
            ViewModelUnbind.name,
            "Ends this connection's binding to an instance.",
            .object([.init("id", name)]),
            .null,
            [.invalidParams, .notFound]
        ),
        .init(
            RPCDiscover.name,
            "Gives this document.",
            .object([]),
            .dictionary(.any),
            [.invalidParams]
        ),
        .init(
            CancelRequest.name,
            "Asks for the end of an unanswered request of this connection; usually sent as a notification.",
            .object([.init("id", .any)]),
            .null,
            []
        ),
    ]

    private static var name: Schema { .string() }
    private static var uid: Schema { .integer(0...Int128(UInt32.max)) }
    private static var count: Schema { .integer(0...Int128(Int64.max)) }
    private static var software: Schema {
        .object([.init("name", .string()), .init("version", .optional(.string()), required: false)])
    }
    private static var window: Schema { .object([.init("offset", count), .init("limit", count)]) }
    static var event: Schema { .object([.init("output", .string()), .init("value", .any)]) }

    /// Returns the meaning of an error code in a few words.
    static func message(of code: ErrorCode) -> String {
        switch code {
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

/// A notification of the daemon, as the discovery document describes it.
struct OwnNotification {
    let name: String
    let summary: String
    let params: Schema

    static let all = [
        OwnNotification(
            name: ViewModelChanged.name,
            summary: "What one step, or several, changed in a bound instance: values, then patch, then events.",
            params: .object([
                .init("id", .string()), .init("seq", .integer(0...Int128(Int64.max))),
                .init("values", .dictionary(.any), required: false),
                .init("patch", .array(.any), required: false),
                .init("events", .array(OwnMethod.event), required: false),
                .init("lost", .integer(0...Int128(Int64.max)), required: false),
            ])
        ),
        OwnNotification(
            name: ViewModelClosed.name,
            summary: "A bound instance is no more.",
            params: .object([.init("id", .string())])
        ),
        OwnNotification(
            name: SessionClosed.name,
            summary: "Another client closed the session, the daemon stops, or a ViewModel's fault ended it.",
            params: .object([
                .init("session", .optional(.string())),
                .init("reason", .enumeration(["closed", "stopping", "failed"])),
                .init("incident", .string(), required: false),
            ])
        ),
    ]
}
