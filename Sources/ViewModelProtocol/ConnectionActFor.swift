/// The method by which a front, such as a gateway with a single sign-on, acts for a person (protocol, section 4).
///
/// It is the first request of a connection whose user has the access `delegate`, and nobody else may call it. From then on
/// the connection is that of the person.
package enum ConnectionActFor: DescribedMethod {
    package static let name = "connection.actFor"

    /// The params: the person.
    package struct Params: Codable, Equatable, Sendable {
        /// The person, by the issuer and its name for the person.
        package var subject: Subject
        /// The name to show; nil to show the user number.
        package var name: PersonName?
        /// What the person may do; nil means `act`.
        package var scope: AccessScope?
        /// What the issuer says about the person, for ViewModels.
        package var claims: Claims?

        package init(subject: Subject, name: PersonName? = nil, scope: AccessScope? = nil, claims: Claims? = nil) {
            (self.subject, self.name, self.scope, self.claims) = (subject, name, scope, claims)
        }
    }

    package struct Result: Codable, Equatable, Sendable {
        /// The user number of the person.
        package var user: UInt32

        package init(user: UInt32) {
            self.user = user
        }
    }

    package static var summary: String {
        "Makes the connection that of a person, for the rest of its life. It is the first request, and alone."
    }
    package static var scope: AccessScope { .observe }
    package static var errors: [ErrorCode] { [.invalidParams, .actionFailed, .accessDenied, .limitExceeded] }
    package static var paramsSchema: WireSchema {
        .object(
            ["subject": .string],
            optional: ["name": .string, "scope": .enumeration(AccessScope.self), "claims": .dictionary(.any)]
        )
    }
    package static var resultSchema: WireSchema { .object(["user": .uid]) }
}

extension String {
    /// Whether the text has at most 512 bytes and no control character, which could forge lines where the text is shown.
    fileprivate var isPlain: Bool {
        utf8.count <= 512 && !unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}

/// A person, as `issuer|subject`.
///
/// Subjects are compared by their bytes.
package struct Subject: WireName {
    package static let rule = "issuer|subject, 1 to 512 bytes without control characters"

    package let text: String

    package init?(_ text: String) {
        guard !text.isEmpty, text.isPlain else { return nil }
        self.text = text
    }
}

/// The name of a person, to show.
package struct PersonName: WireName {
    package static let rule = "at most 512 bytes without control characters"

    package let text: String

    package init?(_ text: String) {
        guard text.isPlain else { return nil }
        self.text = text
    }
}

/// What an issuer says about a person.
package struct Claims: Codable, Equatable, Sendable {
    /// The most bytes of the claims as JSON text.
    private static let maximumBytes = 16 << 10

    /// The claims by their names.
    package let members: JSONObject

    package init(_ members: JSONObject = [:]) {
        self.members = members
    }

    package init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer().decode(JSONValue.self)
        guard let members = value.objectValue else {
            throw ValueMismatch(expected: "an object", found: ValueMismatch.describe(value))
        }
        let count = value.text.count
        guard count <= Self.maximumBytes else {
            throw ValueMismatch(expected: "at most \(Self.maximumBytes) bytes", found: "\(count) bytes")
        }
        self.init(members)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(JSONValue.object(members))
    }
}
