/// The method that lowers the scope of this connection until it closes (protocol, section 4).
///
/// A program that works for others, such as a gateway for browsers, calls it before it relays their messages. A
/// connection never gets a higher scope back.
package enum SessionRestrict: DescribedMethod {
    package static let name = "session.restrict"

    /// The params: the highest scope that the connection may have.
    package struct Params: Codable, Equatable, Sendable {
        /// The scope.
        ///
        /// A scope above that of the connection changes nothing.
        package var scope: AccessScope

        package init(scope: AccessScope) {
            self.scope = scope
        }
    }

    /// The scope that the connection has now.
    package typealias Result = Params

    package static var summary: String {
        "Lowers the scope of this connection until it closes."
    }
    package static var scope: AccessScope { .observe }
    package static var errors: [ErrorCode] { [.invalidParams] }
    package static var paramsSchema: WireSchema {
        .object(["scope": .enumeration(AccessScope.self)])
    }
    package static var resultSchema: WireSchema { paramsSchema }
}
