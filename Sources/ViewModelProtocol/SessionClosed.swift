/// The notification that the session of an attached connection has ended (protocol, section 4).
///
/// After `closed` and `failed` the connection has a new anonymous session. After `stopping` the daemon closes it.
package enum SessionClosed: ProtocolNotification {
    /// The notification's name on the wire.
    package static let name = "session.closed"

    /// The reason why a session ended.
    package enum Reason: String, CaseIterable, Codable, Sendable {
        /// A client closed the session.
        case closed
        /// The daemon stops.
        case stopping
        /// A fault in a ViewModel's code ended the session.
        ///
        /// `incident` names its entry in the log.
        case failed
    }

    /// The params: the session and the reason.
    package struct Params: Codable, Equatable, Sendable {
        /// The session's name.
        ///
        /// It is nil for the connection's anonymous session, which is reported only after `failed`.
        package var session: String?
        /// The reason why the session ended.
        package var reason: Reason
        /// The incident's id in the daemon's log, for the reason `failed`.
        package var incident: String?

        private enum CodingKeys: CodingKey {
            case session, reason, incident
        }

        /// Creates params.
        package init(session: String?, reason: Reason, incident: String? = nil) {
            self.session = session
            self.reason = reason
            self.incident = incident
        }

        /// Writes params, with null for a nil session and without a nil incident.
        package func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(session, forKey: .session)
            try container.encode(reason, forKey: .reason)
            try container.encode(present: incident, forKey: .incident)
        }
    }
}

extension SessionClosed: DescribedNotification {
    package static var summary: String {
        "Another client closed the session, the daemon stops, or a ViewModel's fault ended it."
    }
    package static var paramsSchema: WireSchema {
        .object([
            .required("session", .optional(.string)),
            .required("reason", .enumeration(Reason.allCases.map(\.rawValue))),
            .optional("incident", .string),
        ])
    }
}
