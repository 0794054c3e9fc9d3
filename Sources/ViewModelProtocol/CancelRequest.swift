/// The notification that cancels a request of the same connection (protocol, section 2).
///
/// As a request it is answered null.
///
/// The cancelled request is answered with -32800. The daemon ignores the id of a request that has ended or never
/// existed.
package enum CancelRequest: DescribedNotification, DescribedMethod {
    package static let name = "$/cancelRequest"

    package struct Params: Codable, Equatable, Sendable {
        /// The request's id: a string, a number with its original text, or null.
        package var id: RequestID

        package init(id: RequestID) {
            self.id = id
        }
    }

    package typealias Result = NoResult

    package static var summary: String {
        "Cancels an unanswered request of this connection. Clients usually send it as a notification."
    }
    package static var scope: AccessScope { .observe }
    package static var errors: [ErrorCode] { [] }
    package static var paramsSchema: WireSchema {
        .object(["id": .any])
    }
}
